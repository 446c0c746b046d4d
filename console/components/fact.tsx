import type { ComponentChildren } from "preact";
import { Moment } from "./moment.tsx";

/**
 * A name and its value in a list of facts. The value is `children`, or the moment `at`; null for `at` is shown as
 * "nunca".
 */
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
