import {
  type ErrorCode,
  ERRORS,
  type FieldError,
} from "../../../supabase/functions/_shared/contract/errors.ts";
import { IDS } from "./ids.ts";

/** The details that errors show in examples, by code. */
export const DETAILS: Readonly<Partial<Record<ErrorCode, readonly FieldError[]>>> = {
  ambiguous_match: [IDS.contact, IDS.otherContact].map((id) => ({
    field: "email",
    message: ERRORS.ambiguous_match.field,
    id,
  })),
  external_id_taken: [{
    field: "external_id",
    message: ERRORS.external_id_taken.field,
    id: IDS.otherContact,
  }],
  validation_error: [{ field: "email", message: "Deve ser um e-mail válido" }],
};
