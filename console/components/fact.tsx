import type { ComponentChildren } from "preact";
import { Moment } from "./moment.tsx";

/** A line in a list of facts: its name, and its content or, with `at`, a moment. Null is "nunca". */
export function Fact({ name, at, children }: {
  name: string;
  at?: string | null;
  children?: ComponentChildren;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{at === undefined ? children : <Moment at={at} exact />}</dd>
    </>
  );
}
