import { z } from "zod";
import { doc } from "./doc.ts";

/** The query parameter of endpoints that support a dry run. Their verbs end with `crm.unless_dry_run`. */
export const DRY_RUN = {
  dry_run: z.enum(["true", "false"])
    .transform((flag) => flag === "true" ? true : undefined)
    .optional()
    .meta({
      type: "boolean",
      enum: [true, false],
      ...doc(
        "true: responde o que seria feito e não grava nada; o id de um registro que seria criado não vale depois",
        "true: answers what would be done, and writes nothing; the id of a record that would be created is not valid " +
          "later",
      ),
    }),
};
