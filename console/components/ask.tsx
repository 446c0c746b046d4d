import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../strings/strings.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export interface Question {
  title: string;
  text: ComponentChildren;
  /** The label of the button for yes: what will be done. */
  yes: string;
  no?: string;
  dangerous?: boolean;
}

const open = signal<{ question: Question; answer: (yes: boolean) => void } | null>(null);

/** Shows a confirmation and resolves with the answer; Escape answers no. */
export function ask(question: Question): Promise<boolean> {
  open.value?.answer(false);
  return new Promise((resolve) => {
    open.value = {
      question,
      answer: (yes) => {
        open.value = null;
        resolve(yes);
      },
    };
  });
}

/** Shows the open question. The page contains this component once. */
export function Questions() {
  // If the page closes while a question is open, for example because the session ended, the answer is no.
  useEffect(() => () => open.peek()?.answer(false), []);
  if (open.value === null) return null;
  const { question, answer } = open.value;
  return (
    <Dialog title={question.title} onClose={() => answer(false)}>
      <div class="stack">{question.text}</div>
      <div class="actions end">
        <Button text={question.no ?? t("app.cancel")} onClick={() => answer(false)} />
        <Button
          class={`button ${question.dangerous ? "danger" : "primary"}`}
          text={question.yes}
          onClick={() => answer(true)}
        />
      </div>
    </Dialog>
  );
}
