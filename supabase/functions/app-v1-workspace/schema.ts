import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { ROLES } from "../_shared/contract/roles.ts";

/** A workspace that the person who is signed in may choose. */
const WorkspaceChoice = z.object({ id: z.uuid(), name: z.string(), role: z.enum(ROLES) }).meta({
  id: "WorkspaceChoice",
  ...doc("Uma empresa da qual a pessoa é membro", "A workspace of which the person is a member"),
  fields: {
    id: doc("Identificador da empresa", "The workspace's id", "019a2b3c-0000-7000-8000-000000000001"),
    name: doc("Nome da empresa", "The workspace's name", "Padaria Sol"),
    role: doc("Papel da pessoa nesta empresa", "The person's role in it", "admin"),
  },
});

/** The reply of GET /choices. */
export const WorkspaceChoices = z.object({ data: z.array(WorkspaceChoice) });
