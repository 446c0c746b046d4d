import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { APPLICATION_ERROR_TEXTS } from "./application.ts";
import { CALL_ERROR_TEXTS } from "./calls.ts";
import type { ErrorText } from "./error_text.ts";
import { RECORD_ERROR_TEXTS } from "./records.ts";

/** The texts about every error. A code without texts does not compile. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  ...CALL_ERROR_TEXTS,
  ...RECORD_ERROR_TEXTS,
  ...APPLICATION_ERROR_TEXTS,
};
