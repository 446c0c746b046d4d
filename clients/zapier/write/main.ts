/**
 * `deno task zapier`: writes clients/zapier/dist/written.json, from which the app makes its triggers and actions. With
 * `-- en` its texts are in English. CRM_URL is the address that the connection's form suggests.
 */
import { fileURLToPath } from "node:url";
import { replaceFile } from "../../../tools/openapi/files.ts";
import { writtenFor } from "./written.ts";

const language = Deno.args.includes("en") ? "en" : "pt";
const file = fileURLToPath(new URL("../dist/written.json", import.meta.url));
await replaceFile(file, JSON.stringify(writtenFor(language, Deno.env.get("CRM_URL")), null, 1));
