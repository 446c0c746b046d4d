import { z } from "zod";
import { BATCH_BODY_LIMITS } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { DRY_RUN } from "../_shared/contract/dry_run.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { ContactImport, ContactImportResult, IMPORT_OPERATIONS } from "./schema.ts";

export const appContacts = resource(
  "app-v1-contacts",
  {
    "POST /import": endpoint({
      summary: doc(
        "Importa até 100 contatos, com o nome da empresa de cada um",
        "Import up to 100 contacts, each with the name of its company",
      ),
      role: "gestor",
      query: z.object(DRY_RUN),
      body: ContactImport,
      operations: IMPORT_OPERATIONS,
      bodyLimits: BATCH_BODY_LIMITS,
      reply: ContactImportResult,
      verb: "contact_import",
      errors: ["batch_failed"],
    }),
  },
  doc("A importação de contatos", "The import of contacts"),
);
