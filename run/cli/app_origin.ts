import { readSettings } from "../local/settings.ts";
import { readStackFile } from "../local/stack_file.ts";
import { StackError } from "../local/stack_error.ts";

/**
 * The console's address, for links that customers receive: APP_ORIGIN, otherwise that of the stack that runs on DATA_DIR
 * if the command uses its database.
 * @throws StackError if there is neither.
 */
export async function readAppOrigin(): Promise<string> {
  const { appOrigin, databaseUrl, dataDir } = readSettings();
  if (appOrigin !== null) return appOrigin;
  const stack = await readStackFile(dataDir).catch(() => null);
  if (stack !== null && (databaseUrl ?? stack.database_url) === stack.database_url) return stack.console_url;
  throw new StackError(
    "APP_ORIGIN is not set: set it to the console's address, such as https://crm.example.com",
  );
}
