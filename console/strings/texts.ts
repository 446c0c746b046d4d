import { account } from "./account.ts";
import { activity } from "./activity.ts";
import { apps } from "./apps.ts";
import { deliveries } from "./deliveries.ts";
import { funnel } from "./funnel.ts";
import { keys } from "./keys.ts";
import { shell } from "./shell.ts";
import { sign_in } from "./sign_in.ts";
import { webhooks } from "./webhooks.ts";

/** Each text in Portuguese and in English. The Portuguese says "você", in short sentences, with terms of the trade. */
export const TEXTS = {
  ...account,
  ...activity,
  ...apps,
  ...deliveries,
  ...funnel,
  ...keys,
  ...shell,
  ...sign_in,
  ...webhooks,
};

export type Key = keyof typeof TEXTS;
