import { account } from "./pt/account.ts";
import { activity } from "./pt/activity.ts";
import { deliveries } from "./pt/deliveries.ts";
import { funnel } from "./pt/funnel.ts";
import { keys } from "./pt/keys.ts";
import { shell } from "./pt/shell.ts";
import { sign_in } from "./pt/sign_in.ts";
import { webhooks } from "./pt/webhooks.ts";

/** Texts in Portuguese: você, short sentences, words of the trade. `en.ts` has the same keys. */
export const pt = {
  ...account,
  ...activity,
  ...deliveries,
  ...funnel,
  ...keys,
  ...shell,
  ...sign_in,
  ...webhooks,
};
