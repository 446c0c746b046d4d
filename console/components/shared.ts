/**
 * The modules that most pages share. Every page imports components/page.tsx, which imports this list, so the build puts
 * these modules into one file. Without the list, the build would make a file for each combination of pages that share a
 * module, which costs more bytes and requests.
 */
import "../app/clock.ts";
import "../app/invitations.tsx";
import "../app/leaving.ts";
import "../app/menu.tsx";
import "../app/resource.ts";
import "../app/return.ts";
import "../app/use_action.ts";
import "../app/workspace.ts";
import "./mod.ts";
