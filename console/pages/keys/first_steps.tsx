import { useSignal } from "@preact/signals";
import { href, refreshWorkspace, siteUrl, workspace } from "../../app/mod.ts";
import type { FirstSteps as Steps } from "../../app/types.ts";
import { usePolling } from "../../app/use_polling.ts";
import { locale } from "../../strings/locale.ts";
import { t } from "../../strings/strings.ts";

/** A step, the page on which to take it, and the guide on the site. The first call has no page: a program makes it. */
const STEPS: { step: keyof Steps; place?: string; query?: Record<string, string>; guide?: string }[] = [
  { step: "key", place: "chaves/", query: { nova: "1" }, guide: "keys" },
  { step: "call", guide: "first-call" },
  { step: "webhook", place: "webhooks/", query: { novo: "1" }, guide: "webhooks" },
  { step: "delivery", place: "webhooks/", guide: "receivers" },
  { step: "colleague", place: "conta/", query: { convidar: "1" } },
];
const EVERY_MS = 5_000;
const ALL_DONE: Steps = { key: true, call: true, webhook: true, delivery: true, colleague: true };

/** The steps for a new workspace, with ticks for those that are done. */
export function FirstSteps() {
  // Steps that were shown when the page opened stay: removing them after the last tick would move the list of keys.
  const shown = useSignal(Boolean(workspace.value?.first_steps));
  return shown.value && <Checklist steps={workspace.value?.first_steps ?? ALL_DONE} />;
}

function Checklist({ steps }: { steps: Steps }) {
  usePolling(refreshWorkspace, () => EVERY_MS, null);
  return (
    <section class="steps" aria-labelledby="steps">
      <h2 id="steps">{t("steps.title")}</h2>
      <ol>
        {STEPS.map(({ step, place, query, guide }) => (
          <li key={step} class={steps[step] ? "step done" : "step"}>
            <span class="step-mark" aria-hidden="true">{steps[step] && "✓"}</span>
            <span>
              {place && !steps[step]
                ? <a href={href(place, query)}>{t(`steps.${step}`)}</a>
                : t(`steps.${step}`)}
              {steps[step] && <span class="unseen">{t("steps.done")}</span>}
            </span>
            {guide && siteUrl && (
              <a
                class="small"
                href={`${siteUrl}${locale.value === "en" ? "en/" : ""}${guide}/`}
                target="_blank"
                rel="noopener"
                aria-label={t("steps.guide_to", { step: t(`steps.${step}`) })}
              >
                {t("steps.guide")}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
