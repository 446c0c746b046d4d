import { Fragment } from "preact";
import { momentText, numberText } from "../../format/shown.ts";
import { t } from "../../strings/strings.ts";
import { adviceFor } from "./advice.ts";
import type { Attempt, OpenDelivery } from "./records.ts";
import { type Sending, waits } from "./states.ts";
import { answerText, whenText } from "./words.ts";

/** The attempts of a delivery, oldest first, and the time of the next. */
export function Ladder(
  { delivery, sending, now }: { delivery: OpenDelivery; sending: Sending; now: number },
) {
  const { attempts_made: attempts, state, next_attempt_at } = delivery;
  const last = attempts.at(-1);
  const advice = last && state !== "delivered" ? adviceFor(last) : null;
  const next = waits(delivery) && sending === "sends" ? next_attempt_at : null;
  return (
    <>
      {attempts.length === 0 && next === null && <p class="hint">{t("delivery.no_attempts")}</p>}
      <ol class="ladder">
        {attempts.map((attempt, i) => (
          <Fragment key={`${attempt.series} ${attempt.number}`}>
            {attempt.series !== (attempts[i - 1]?.series ?? 1) && (
              <li class="ladder-series">{t("delivery.series", { n: attempt.series - 1 })}</li>
            )}
            <Rung attempt={attempt} now={now} />
          </Fragment>
        ))}
        {next !== null && (
          <li class="rung waiting">
            <span>{t("delivery.next", { when: whenText(next, now) })}</span>
          </li>
        )}
      </ol>
      {advice && <p class="hint">{t(`advice.${advice}`)}</p>}
    </>
  );
}

function Rung({ attempt, now }: { attempt: Attempt; now: number }) {
  const { number, reason, duration_ms, finished_at, status, answer } = attempt;
  return (
    <li class={reason === null ? "rung good" : "rung failed"}>
      <span>{t("delivery.attempt", { number })}</span>
      <time dateTime={finished_at} title={momentText(finished_at)}>
        {whenText(finished_at, now)}
      </time>
      <span>
        {answerText(attempt)}
        {status === null && ` · ${numberText(duration_ms)} ms`}
      </span>
      {answer !== null && (
        <pre
          class="snippet answer"
          tabIndex={0}
          role="region"
          aria-label={t("delivery.answer", { number })}
        >{answer}</pre>
      )}
    </li>
  );
}
