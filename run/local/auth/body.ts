import type { JSONValue } from "postgres";
import { z } from "zod";
import { ApiError } from "../../../supabase/functions/_shared/contract/errors.ts";
import { BodyReader } from "../../../supabase/functions/_shared/http/body_reader.ts";
import { AuthError } from "./errors.ts";
import { describeWeakness } from "./passwords.ts";

const MAX_BODY_BYTES = 16 * 1024;

const Data = z.record(z.string(), z.json()).nullish().transform((data) =>
  (data ?? {}) as Record<string, JSONValue>
);
const EmailField = z.string().trim().toLowerCase().max(255).pipe(
  z.email("Unable to validate email address: invalid format"),
);

/** What a client may send, by route. Fields that are not here are ignored, as in GoTrue. */
export const BODIES = {
  password: z.object({ email: EmailField, password: z.string() }),
  refresh: z.object({ refresh_token: z.string().min(12, "Refresh token is not valid") }),
  signUp: z.object({ email: EmailField, password: z.string(), data: Data }),
  update: z.object({ password: z.string().nullish(), email: EmailField.nullish(), data: Data }),
  invite: z.object({ email: EmailField, data: Data }),
  recover: z.object({ email: EmailField }),
};

/** @throws AuthError `bad_json`, `request_entity_too_large`, or `validation_failed` with the first field at fault. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await readJson(request));
  if (parsed.success) return parsed.data;
  const { message, path } = parsed.error.issues[0]!;
  throw new AuthError(
    400,
    "validation_failed",
    path.length > 0 && !message.includes(" valid") ? `${path.join(".")}: ${message}` : message,
  );
}

async function readJson(request: Request): Promise<unknown> {
  const bytes = await new BodyReader(request, MAX_BODY_BYTES).readAll();
  if (bytes instanceof ApiError) {
    if (bytes.code === "request_timeout") {
      throw new AuthError(408, "request_timeout", "Request body too slow");
    }
    throw new AuthError(413, "request_entity_too_large", "Request body too large");
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new AuthError(400, "bad_json", "Could not parse request body as JSON");
  }
}

/** @throws AuthError `weak_password`, or `validation_failed` if it is too long. */
export function requireStrength(password: string): void {
  const weakness = describeWeakness(password);
  if (weakness === "long") {
    throw new AuthError(400, "validation_failed", "Password cannot be longer than 72 characters");
  }
  if (weakness === "short") {
    throw new AuthError(422, "weak_password", "Password should be at least 6 characters.", {
      weak_password: { reasons: ["length"] },
    });
  }
}
