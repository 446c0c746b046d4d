/** The components that most pages import. */
export { ActionDialog } from "./action_dialog.tsx";
export { ask } from "./ask.tsx";
export { Button } from "./button.tsx";
export { CopyButton } from "./copy.tsx";
export { Fact } from "./fact.tsx";
export { FailureNote, failureText } from "./failure_note.tsx";
export { Field, Select, TextArea } from "./field.tsx";
export { Filtered } from "./filter.tsx";
export { focusRefused } from "./focus_refused.ts";
export { Empty, Loaded, Skeleton } from "./loaded.tsx";
export { Moment } from "./moment.tsx";
export { Page } from "./page.tsx";
export { Table } from "./table.tsx";
export { say } from "./toast.tsx";
