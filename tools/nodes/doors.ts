import { sentStatements } from "./statements.ts";
import { type Signature, signatureOf, typeDefinition } from "./signatures.ts";

/** On which nodes the proxy runs a function. */
type Routing =
  /** On the node of the credential's slot (docs/scale.md). `refused`: the error code if the slot is unknown. */
  | { by: "credential"; refused: string }
  /** On the node of the workspace in the first argument. */
  | { by: "workspace" }
  /** On each node in turn. Returns the rows of all nodes, at most as many as the argument named by `limit`. */
  | { by: "each"; limit?: string }
  /** On each node. The only argument is a JSON list, of which each node gets the elements for its workspaces. */
  | { by: "list" }
  /** Written by hand in run/nodes/doors.sql. `person`: a call to a node other than 0 carries the person's sign-in. */
  | { by: "hand"; person?: true };

const ROUTINGS: Record<string, Routing> = {
  "api.call": { by: "credential", refused: "invalid_api_key" },
  "api.call_by_link": { by: "credential", refused: "not_found" },
  "api.call_by_grant": { by: "hand", person: true },
  "app.call": { by: "hand", person: true },
  "crm.check_health": { by: "hand" },
  "crm.delivery_claim": { by: "each", limit: "p_batch" },
  "crm.delivery_record": { by: "list" },
  "crm.log_requests": { by: "list" },
  "crm.next_delivery_due": { by: "hand" },
  "crm.notice_claim": { by: "each" },
  "crm.notice_sent": { by: "workspace" },
};

/** Types that the proxy has too. The proxy gets values of all other types as text. */
const TYPES = ["api.reply"];

/** The SQL of the proxy's functions, which pass the statements of supabase/functions on to the nodes. */
export async function generateDoors(): Promise<string> {
  const called = [...new Set((await sentStatements()).map(({ called }) => called))];
  const unrouted = called.filter((name) => !(name in ROUTINGS));
  if (unrouted.length > 0) {
    throw new Error(`tools/nodes/doors.ts does not say where ${unrouted.join(", ")} runs`);
  }
  const types = await Promise.all(TYPES.map(typeDefinition));
  const doors = await Promise.all(
    called.map(async (name) => doorsOf(await signatureOf(name), ROUTINGS[name]!)),
  );
  return [...types, ...doors.flat()].join("\n\n") + "\n";
}

function doorsOf(signature: Signature, routing: Routing): string[] {
  const doors = [onNode(signature, routing)];
  if (routing.by === "hand") return routing.person ? [...doors, withPerson(signature)] : doors;
  return [...doors, outer(signature, bodyOf(signature, routing))];
}

/** The name of the proxy's function that runs a function on a given node. */
const atNode = (name: string, suffix = "at") => `nodes.${name.replace(".", "_")}_${suffix}`;
const typed = ({ parameters }: Signature, withDefaults: boolean) =>
  parameters.map(({ name, type, default: value }) =>
    `${name} ${type}${withDefaults && value !== undefined ? ` default ${value}` : ""}`
  );
const names = ({ parameters }: Signature) => parameters.map(({ name }) => name);
/** The return type, with `text` in place of types that only the nodes have. */
const returnsAtProxy = ({ returns }: Signature) => returns.replace(/crm\.\w+/g, "text");
/** The dispatcher and the request log call all nodes, so they get `crm_each`, which waits only briefly for a node. */
const clusterOf = (routing: Routing) =>
  routing.by === "credential" || (routing.by === "hand" && routing.person) ? "crm" : "crm_each";

function onNode(signature: Signature, routing: Routing): string {
  return `create function ${atNode(signature.name)}(${
    ["p_node integer", ...typed(signature, false)].join(", ")
  })
returns ${returnsAtProxy(signature)}
language plproxy volatile as $$
  cluster '${clusterOf(routing)}';
  run on p_node;
  select * from ${signature.name}(${names(signature).join(", ")});
$$;`;
}

function withPerson(signature: Signature): string {
  const parameters = ["p_node integer", "p_person jsonb", ...typed(signature, false)].join(", ");
  return `create function ${atNode(signature.name, "with_person")}(${parameters})
returns ${returnsAtProxy(signature)}
language plproxy volatile as $$
  cluster 'crm';
  run on p_node;
  select r.* from nodes.take_person(p_user_id, p_person), lateral ${signature.name}(${
    names(signature).join(", ")
  }) r;
$$;`;
}

function outer(signature: Signature, body: string): string {
  return `create function ${signature.name}(${typed(signature, true).join(", ")}) returns ${
    returnsAtProxy(signature)
  }
language plpgsql volatile security definer set search_path = '' as $$
${body}
$$;`;
}

function bodyOf(signature: Signature, routing: Exclude<Routing, { by: "hand" }>): string {
  const [first = ""] = names(signature);
  const call = (node: string, args = names(signature)) =>
    `${atNode(signature.name)}(${[node, ...args].join(", ")})`;
  if (routing.by === "credential") {
    return `declare
  v_route nodes.route;
  -- Usually this look-up is enough. It costs a third of nodes.route_of.
  v_node integer := (
    select s.node from nodes.slots s
    where s.slot = encode(substring(${first} from 33), 'escape') and not s.paused
      and not exists (select from nodes.failures f where f.node = s.node)
  );
  v_reply ${signature.returns};
begin
  if v_node is not null then return ${call("v_node")}; end if;
  v_route := nodes.route_of(${first});
  v_node := v_route.node;
  if v_node is null then return nodes.refused('${routing.refused}'); end if;
  v_reply := ${call("v_node")};
  if v_route.is_retry then perform nodes.note_answer(v_node); end if;
  return v_reply;
exception
  when query_canceled or internal_error or connection_exception or lock_not_available or admin_shutdown
    or crash_shutdown or cannot_connect_now then
    if nodes.is_answer(sqlstate, sqlerrm) then raise; end if;
    return nodes.unanswered(v_node, sqlstate, sqlerrm);
end`;
  }
  if (routing.by === "workspace") {
    return `declare
  v_node integer := nodes.node_of_workspace(${first});
begin
  if v_node is not null then perform ${call("v_node")}; end if;
end`;
  }
  if (routing.by === "each") {
    const { limit } = routing;
    const args = names(signature).map((name) => name === limit ? "v_left" : name);
    return `#variable_conflict use_column
declare
  v_node integer;${limit ? `\n  v_left integer := ${limit};\n  v_count integer;` : ""}
begin
  for v_node in select n from nodes.reachable() n loop${limit ? "\n    exit when v_left <= 0;" : ""}
    begin
      return query select * from ${call("v_node", args)};${
      limit ? "\n      get diagnostics v_count = row_count;\n      v_left := v_left - v_count;" : ""
    }
      perform nodes.note_answer(v_node);
    exception
      when others then perform nodes.note_failure(v_node, sqlstate, sqlerrm);
    end;
  end loop;
end`;
  }
  return `#variable_conflict use_column
declare
  v_part record;
  v_failure text;
begin
  for v_part in select * from nodes.parts(${first}) p loop
    begin
      ${signature.returns === "void" ? "perform" : "return query select * from"} ${
    call("v_part.node", ["v_part.list"])
  };
    exception
      when others then
        perform nodes.note_failure(v_part.node, sqlstate, sqlerrm);
        v_failure := format(
          '%s has recorded nothing: %s (%s)', coalesce('Node ' || v_part.node, 'An unknown node'), sqlerrm, sqlstate
        );
    end;
  end loop;
  -- Raised after all other nodes have recorded their outcomes. The caller may send the whole list again, because a node
  -- that has recorded an outcome changes nothing.
  if v_failure is not null then raise exception using errcode = '08006', message = v_failure; end if;
end`;
}
