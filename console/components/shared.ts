/**
 * The modules that most pages share. Every page imports components/page.tsx, which imports this list, so the build puts
 * these modules into one file. Otherwise it would make a file for each combination of pages: more bytes and requests.
 */
import "../app/clock.ts";
import "../app/invitations.tsx";
import "../app/leaving.ts";
import "../app/menu.tsx";
import "../app/resource.ts";
import "../app/return.ts";
import "../app/use_action.ts";
import "../app/workspace.ts";
import "./action_dialog.tsx";
import "./ask.tsx";
import "./copy.tsx";
import "./dialog.tsx";
import "./fact.tsx";
import "./failure_note.tsx";
import "./field.tsx";
import "./filter.tsx";
import "./focus_refused.ts";
import "./loaded.tsx";
import "./moment.tsx";
import "./table.tsx";
import "./toast.tsx";
