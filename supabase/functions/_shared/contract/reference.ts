import { z } from "zod";
import { name, uuid } from "./fields.ts";

/** Another record, as replies of the application name it: enough to show it and to open it. */
export const Reference = z.object({ id: uuid(), name: name() });
