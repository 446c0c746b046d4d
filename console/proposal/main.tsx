import { render } from "preact";
import { supabaseUrl } from "../app/settings.ts";
import { ProposalPage } from "./page.tsx";

render(<ProposalPage functions={`${supabaseUrl}/functions/v1`} />, document.getElementById("app")!);
