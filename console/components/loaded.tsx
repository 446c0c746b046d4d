import type { ComponentChildren } from "preact";
import type { Resource } from "../app/resource.ts";
import { settled } from "../app/workspace.ts";
import { FailureNote } from "./failure_note.tsx";
import { Skeleton } from "./skeleton.tsx";

/** What is read: its skeleton, its failure (above what was read before, if anything was), or itself. */
export function Loaded<T>({ resource, rows, children }: {
  resource: Resource<T>;
  /** Rows of the skeleton. */
  rows?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { data, failure, waiting, reload } = resource;
  return (
    <>
      {failure.value && <FailureNote failure={failure.value} onRetry={reload} />}
      {data.value !== undefined && settled.value
        ? children(data.value)
        : waiting.value && <Skeleton rows={rows ?? 3} />}
    </>
  );
}
