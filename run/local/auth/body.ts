import { z } from "zod";
import { AuthError } from "./errors.ts";

const email = z.string().trim().toLowerCase().max(255).pipe(
  z.email("Unable to validate email address: invalid format"),
);

/** The bodies that clients may send. Other fields are ignored, as in Supabase Auth. */
export const BODIES = {
  credentials: z.object({ email, password: z.string() }),
  refresh: z.object({ refresh_token: z.string() }),
  update: z.object({ password: z.string().nullish(), email: email.nullish() }),
  address: z.object({ email }),
  invitation: z.object({ email, data: z.record(z.string(), z.json()).default({}) }),
};

/** @throws AuthError `bad_json`, or `validation_failed` with the first wrong field. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const json = await request.json().catch(() => {
    throw new AuthError(400, "bad_json", "Could not parse request body as JSON");
  });
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { message, path } = parsed.error.issues[0]!;
  throw new AuthError(400, "validation_failed", `${path.join(".")}: ${message}`);
}
