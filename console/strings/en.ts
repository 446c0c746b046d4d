import type { pt } from "./pt.ts";
import type { Translated } from "./translate.ts";
import { account } from "./en/account.ts";
import { activity } from "./en/activity.ts";
import { deliveries } from "./en/deliveries.ts";
import { funnel } from "./en/funnel.ts";
import { keys } from "./en/keys.ts";
import { shell } from "./en/shell.ts";
import { sign_in } from "./en/sign_in.ts";
import { webhooks } from "./en/webhooks.ts";

/** The same texts in English. */
export const en: Translated<typeof pt> = {
  ...account,
  ...activity,
  ...deliveries,
  ...funnel,
  ...keys,
  ...shell,
  ...sign_in,
  ...webhooks,
};
