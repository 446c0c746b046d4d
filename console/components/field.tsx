import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

/** A labelled input with a hint, and the reason why its value was refused. */
export function Field({ label, hint, error, ...input }: {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
} & JSX.IntrinsicElements["input"]) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <input id={id} class="input" {...described(id, hint, error)} {...input} />
    </FieldFrame>
  );
}

export function Select({ label, hint, error, options, ...select }: {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  options: { value: string; text: string }[];
} & JSX.IntrinsicElements["select"]) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <select id={id} class="input" {...described(id, hint, error)} {...select}>
        {options.map(({ value, text }) => <option key={value} value={value}>{text}</option>)}
      </select>
    </FieldFrame>
  );
}

export function TextArea({ label, ...textarea }: { label: string } & JSX.IntrinsicElements["textarea"]) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={undefined} error={undefined}>
      <textarea id={id} class="input" {...textarea} />
    </FieldFrame>
  );
}

function FieldFrame({ id, label, hint, error, children }: {
  id: string;
  label: string;
  hint: string | undefined;
  error: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && <p id={`${id}-hint`} class="hint">{hint}</p>}
      {error && <p id={`${id}-error`} class="field-error">{error}</p>}
    </div>
  );
}

function described(id: string, hint: string | undefined, error: string | undefined) {
  const by = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return {
    ...(by && { "aria-describedby": by }),
    ...(error && { "aria-invalid": true as const }),
  };
}
