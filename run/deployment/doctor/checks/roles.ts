import { FUNCTIONS_ROLE } from "../../../operator/functions_password.ts";
import { type Check, deployAgain, type Finding, type Remedy } from "../check.ts";

/** The roles that run verbs: crm_api for keys and links, crm_app for members. */
const VERB_ROLES = ["crm_api", "crm_app"];
/** Set on the role, because a transaction pooler drops a connection's settings (10_roles_and_helpers.sql). */
const SETTINGS = {
  statement_timeout: "8s",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "15s",
  enable_seqscan: "off",
  jit: "off",
};

interface Role {
  name: string;
  login: boolean;
  powers: string[];
  member_of: string[];
  /** `name=value`. */
  settings: string[];
  /** Settings for one database, as `database: name=value`. */
  database_settings: string[];
}

/** The roles exist and have no more rights than they need. */
export const roles: Check = {
  name: "roles",
  async look(project) {
    const rows = await project.sql<Role[]>`
      select
        r.rolname as name,
        r.rolcanlogin as login,
        array_remove(array[
          case when r.rolsuper then 'superuser' end,
          case when r.rolbypassrls then 'bypassrls' end,
          case when r.rolcreaterole then 'createrole' end,
          case when r.rolcreatedb then 'createdb' end,
          case when r.rolreplication then 'replication' end
        ], null) as powers,
        array(
          select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
          where m.member = r.oid order by 1
        ) as member_of,
        coalesce(r.rolconfig, '{}') as settings,
        array(
          select d.datname || ': ' || s.setting
          from pg_db_role_setting c join pg_database d on d.oid = c.setdatabase, unnest(c.setconfig) s (setting)
          where c.setrole = r.oid order by 1
        ) as database_settings
      from pg_roles r
      where r.rolname = any (${[...VERB_ROLES, FUNCTIONS_ROLE]})
      order by r.rolname
    `;
    return {
      findings: [...VERB_ROLES, FUNCTIONS_ROLE].flatMap((name) =>
        findRole(name, rows.find((role) => role.name === name), deployAgain(project))
      ),
    };
  },
};

function findRole(name: string, role: Role | undefined, mendMissing: Remedy): Finding[] {
  if (role === undefined) return [{ message: `The role ${name} does not exist`, remedy: mendMissing }];
  const findings: Finding[] = [];
  const find = (message: string, sql: string) => findings.push({ message, remedy: { sql } });
  const login = name === FUNCTIONS_ROLE;
  if (role.login !== login) {
    find(
      `The role ${name} can ${login ? "not log in, so the functions cannot connect" : "log in"}`,
      `alter role ${name} ${login ? "login" : "nologin"};`,
    );
  }
  for (const power of role.powers) {
    find(`The role ${name} has the attribute ${power}`, `alter role ${name} no${power};`);
  }
  for (const group of role.member_of) {
    find(`The role ${name} is a member of ${group}`, `revoke "${group}" from ${name};`);
  }
  for (const [setting, value] of login ? Object.entries(SETTINGS) : []) {
    if (role.settings.includes(`${setting}=${value}`)) continue;
    find(
      `The role ${name} lacks ${setting} = ${value}, which keeps calls from hanging or becoming slow`,
      `alter role ${name} set ${setting} = '${value}';`,
    );
  }
  // A role may change its own settings, and default_transaction_read_only would stop every call.
  for (const setting of role.settings) {
    const [changed = ""] = setting.split("=");
    if (login && changed in SETTINGS) continue;
    find(`The role ${name} has the setting ${setting}`, `alter role ${name} reset "${changed}";`);
  }
  for (const setting of role.database_settings) {
    const [database, changed] = setting.split(/: |=/);
    find(
      `The role ${name} has a setting in the database ${setting}`,
      `alter role ${name} in database "${database}" reset "${changed}";`,
    );
  }
  return findings;
}

/** PUBLIC may execute none of our functions, because Supabase's roles anon and authenticated have PUBLIC's rights. */
export const publicRights: Check = {
  name: "rights of PUBLIC",
  async look({ sql }) {
    const rows = await sql<{ schema: string; count: number }[]>`
      select n.nspname as schema, count(*)::int as count
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('crm', 'api', 'app') and exists (
        select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        where a.grantee = 0 and a.privilege_type = 'EXECUTE'
      )
      group by n.nspname
      order by n.nspname
    `;
    return {
      findings: rows.map(({ schema, count }) => ({
        message: `PUBLIC may execute ${
          count === 1 ? "1 function" : `${count} functions`
        } of the schema ${schema}`,
        remedy: { sql: `revoke execute on all functions in schema ${schema} from public;` },
      })),
    };
  },
};
