import { type Context, type Hono } from "hono";
import type { Sql } from "postgres";
import { renderSVG } from "uqr";
import { z } from "zod";
import { clientAddress } from "../../../supabase/functions/_shared/http/client_address.ts";
import { randomToken } from "../../../supabase/functions/_shared/keys/random_token.ts";
import { isUuid } from "../../../supabase/functions/_shared/runtime/uuid.ts";
import { readBody } from "./body.ts";
import { AuthError } from "./errors.ts";
import type { Grant } from "./sessions.ts";
import { newSecret, stepOf } from "./totp.ts";
import type { Aal, User } from "./users.ts";

/** How long a challenge can be answered, in seconds: the default of Supabase Auth. */
const CHALLENGE_SECONDS = 300;
/** The most factors of one person, verified or not: the default of Supabase Auth. */
const MAX_FACTORS = 10;

const Enrolment = z.object({
  factor_type: z.string(),
  friendly_name: z.string().default(""),
  issuer: z.string().optional(),
});
const Answer = z.object({ challenge_id: z.uuid(), code: z.string().min(1, "Code needs to be non-empty") });

interface Factor {
  id: string;
  friendly_name: string | null;
  status: "unverified" | "verified";
  secret: string;
  used_step: string;
}

interface FactorSettings {
  sql: Sql;
  siteUrl: string;
  /** The person whose session the request carries. @throws AuthError if there is none. */
  identify: (request: Request) => Promise<{ user: User; sessionId: string; aal: Aal }>;
  grantResponse: (grant: Grant) => Promise<Response>;
}

/** The person's second factors, as the user object shows them to clients. */
export async function listFactors(sql: Sql, userId: string): Promise<Record<string, unknown>[]> {
  return await sql`
    select id, friendly_name, factor_type, status, created_at, updated_at
    from auth.mfa_factors where user_id = ${userId} order by created_at
  `;
}

/** Adds Supabase Auth's routes for second factors with time-based codes (TOTP): enrol, challenge, verify, remove. */
export function addFactorRoutes(app: Hono, { sql, siteUrl, identify, grantResponse }: FactorSettings): void {
  app.post("/factors", async ({ req }) => {
    const { user, aal } = await identify(req.raw);
    const { factor_type, friendly_name, issuer } = await readBody(req.raw, Enrolment);
    if (factor_type !== "totp") {
      throw new AuthError(400, "validation_failed", "factor_type needs to be totp, phone, or webauthn");
    }
    const factors = await listFactors(sql, user.id);
    if (factors.some((factor) => factor["friendly_name"] === friendly_name)) {
      throw new AuthError(
        422,
        "mfa_factor_name_conflict",
        `A factor with the friendly name "${friendly_name}" for this user already exists`,
      );
    }
    if (factors.length >= MAX_FACTORS) {
      throw new AuthError(
        422,
        "too_many_enrolled_mfa_factors",
        "Maximum number of verified factors reached, unenroll to continue",
      );
    }
    if (aal === "aal1" && factors.some(({ status }) => status === "verified")) {
      throw new AuthError(403, "insufficient_aal", "AAL2 required to enroll a new factor");
    }
    const secret = newSecret();
    const [row] = await sql`
      insert into auth.mfa_factors (user_id, friendly_name, factor_type, secret)
      values (${user.id}, ${friendly_name}, 'totp', ${secret}) returning id
    `;
    const name = issuer || new URL(siteUrl).host;
    const query = new URLSearchParams({
      algorithm: "SHA1",
      digits: "6",
      issuer: name,
      period: "30",
      secret,
    });
    const uri = `otpauth://totp/${encodeURIComponent(name)}:${encodeURIComponent(user.email)}?${query}`;
    const totp = { qr_code: renderSVG(uri), secret, uri };
    return Response.json({ id: row!["id"], type: "totp", friendly_name, totp });
  });

  app.post("/factors/:id/challenge", async (context) => {
    const { factor } = await findFactor(context);
    const [challenge] = await sql`
      insert into auth.mfa_challenges (factor_id, ip_address)
      values (${factor.id}, ${addressOf(context.req.raw)}) returning id, created_at
    `;
    const expires_at = Math.floor(challenge!["created_at"].getTime() / 1000) + CHALLENGE_SECONDS;
    return Response.json({ id: challenge!["id"], type: "totp", expires_at });
  });

  app.post("/factors/:id/verify", async (context) => {
    const { user, sessionId, factor } = await findFactor(context);
    const { challenge_id, code } = await readBody(context.req.raw, Answer);
    const refreshToken = randomToken();
    await sql.begin(async (sql) => {
      // Locks the factor, so that a code that arrives twice at the same time is accepted once.
      const [locked] = await sql<Factor[]>`select * from auth.mfa_factors where id = ${factor.id} for update`;
      if (!locked) throw notFound();
      const [challenge] = await sql`
        select *, created_at < now() - ${CHALLENGE_SECONDS} * interval '1 second' as is_late
        from auth.mfa_challenges where id = ${challenge_id} and factor_id = ${factor.id}
      `;
      if (!challenge) {
        throw new AuthError(
          422,
          "mfa_factor_not_found",
          "MFA factor with the provided challenge ID not found",
        );
      }
      if (challenge["verified_at"] || challenge["ip_address"] !== addressOf(context.req.raw)) {
        throw new AuthError(422, "mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch.");
      }
      if (challenge["is_late"]) {
        throw new AuthError(
          422,
          "mfa_challenge_expired",
          `MFA challenge ${challenge_id} has expired, verify against another challenge or create a new challenge.`,
        );
      }
      const step = stepOf(locked.secret, code, Date.now());
      if (step === null || step <= Number(locked.used_step)) {
        throw new AuthError(422, "mfa_verification_failed", "Invalid TOTP code entered");
      }
      await sql`update auth.mfa_challenges set verified_at = now() where id = ${challenge_id}`;
      await sql`
        update auth.mfa_factors set status = 'verified', used_step = ${step}, updated_at = now()
        where id = ${factor.id}
      `;
      await sql`update auth.sessions set aal = 'aal2', factor_id = ${factor.id} where id = ${sessionId}`;
      await sql`insert into auth.refresh_tokens (token, session_id) values (${refreshToken}, ${sessionId})`;
      // As in Supabase Auth, the sessions of apps end too, because they are aal1.
      await sql`delete from auth.sessions where user_id = ${user.id} and aal < 'aal2'`;
      await sql`
        delete from auth.mfa_factors
        where user_id = ${user.id} and factor_type = 'totp' and status = 'unverified'
      `;
    });
    return await grantResponse({ user, sessionId, aal: "aal2", refreshToken });
  });

  app.delete("/factors/:id", async (context) => {
    const { aal, factor } = await findFactor(context);
    if (factor.status === "verified" && aal === "aal1") {
      throw new AuthError(422, "insufficient_aal", "AAL2 required to unenroll verified factor");
    }
    await sql.begin(async (sql) => {
      await sql`delete from auth.mfa_factors where id = ${factor.id}`;
      await sql`
        update auth.sessions set aal = 'aal1', factor_id = null where factor_id = ${factor.id}
      `;
    });
    return Response.json({ id: factor.id });
  });

  /** The caller, and the factor that the path names. The factor must be the caller's own. */
  async function findFactor({ req }: Context) {
    const caller = await identify(req.raw);
    const id = req.param("id") ?? "";
    if (!isUuid(id)) throw new AuthError(404, "validation_failed", "factor_id must be an UUID");
    const [factor] = await sql<Factor[]>`
      select * from auth.mfa_factors where id = ${id} and user_id = ${caller.user.id}
    `;
    if (!factor) throw notFound();
    return { ...caller, factor };
  }
}

/** The client's address. A challenge must be answered from the address that began it. */
function addressOf({ headers }: Request): string {
  return clientAddress(headers) ?? "127.0.0.1";
}

function notFound(): AuthError {
  return new AuthError(404, "mfa_factor_not_found", "Factor not found");
}
