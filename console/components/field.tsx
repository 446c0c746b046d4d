import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface Label {
  label: string;
  hint?: string | undefined;
  /** Why the value was refused. */
  error?: string | undefined;
}

/** A labelled input. */
export function Field({ label, hint, error, ...input }: Label & JSX.IntrinsicElements["input"]) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => <input {...control} {...input} />}
    </Labelled>
  );
}

export function Select({ label, hint, error, options, ...select }:
  & Label
  & { options: { value: string; text: string }[] }
  & JSX.IntrinsicElements["select"]) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => (
        <select {...control} {...select}>
          {options.map(({ value, text }) => <option key={value} value={value}>{text}</option>)}
        </select>
      )}
    </Labelled>
  );
}

export function TextArea({ label, ...textarea }: { label: string } & JSX.IntrinsicElements["textarea"]) {
  return <Labelled label={label}>{(control) => <textarea {...control} {...textarea} />}</Labelled>;
}

function Labelled({ label, hint, error, children }: Label & {
  /** Renders the control with these attributes. */
  children: (control: { id: string; class: string }) => ComponentChildren;
}) {
  const id = useId();
  const by = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const control = {
    id,
    class: "input",
    ...(by && { "aria-describedby": by }),
    ...(error && { "aria-invalid": true as const }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(control)}
      {hint && <p id={`${id}-hint`} class="hint">{hint}</p>}
      {error && <p id={`${id}-error`} class="field-error">{error}</p>}
    </div>
  );
}
