// The story's values for the selling company, its people and its keys.
import { IDS, MOMENTS as at } from "./ids.ts";
import { company, contact, deal, pipeline, stages } from "./sales.ts";
import { subscription } from "./webhooks.ts";

/** Bruno, the mill's sales manager. */
export const member = {
  id: IDS.member,
  workspace_id: IDS.workspace,
  name: "Bruno Lima",
  email: "bruno@moinhonorte.com.br",
  role: "gestor",
  is_active: true,
  has_signed_in: true,
  working_keys: 1,
  created_at: at.signedUp,
};

/** Carla, whom Bruno invites. */
const invited = {
  id: IDS.newMember,
  workspace_id: IDS.workspace,
  name: "Carla Dias",
  email: "carla@moinhonorte.com.br",
  role: "vendedor",
  working_keys: 0,
  created_at: at.noted,
};

const WORKSPACE_NAME = "Moinho Norte";

const key = {
  id: IDS.key,
  name: "Site",
  prefix: "svc_u8g0YZp1",
  scopes: ["leads:write", "webhooks:manage"],
  state: "active",
  created_at: at.keyMade,
  last_used_at: at.lastUse,
  active_webhooks: 1,
};

const { target_url } = subscription;
const [, proposed] = stages;

/** The deal as the console shows it. */
const shownDeal = {
  id: deal.id,
  title: deal.title,
  value: deal.value,
  created_at: deal.created_at,
  stage_entered_at: deal.stage_changed_at,
};

/** The values of each record, by the name of its schema. */
export const PEOPLE = {
  Member: member,
  OwnMember: member,
  WorkspaceMember: member,
  OwnWorkspace: { id: IDS.workspace, name: WORKSPACE_NAME },
  OwnKey: key,
  ActiveLossReason: { id: IDS.lossReason, name: "Preço" },
  CurrentMember: { id: member.id, name: member.name, email: member.email, role: member.role },
  Invitation: { name: invited.name, email: invited.email, role: invited.role },
  InvitedMember: { ...invited, has_signed_in: false, invited_to: WORKSPACE_NAME, invited_by: member.name },
  MemberPatch: { role: "gestor" },
  UpdatedMember: { ...invited, keys: [] },
  OpenInvitation: {
    id: invited.id,
    workspace_id: IDS.workspace,
    workspace_name: WORKSPACE_NAME,
    role: invited.role,
  },
  Workspace: { id: IDS.workspace, name: WORKSPACE_NAME, created_at: at.signedUp },
  WorkspacePatch: { stale_after_days: 21 },
  WorkspaceChoice: { id: IDS.workspace, name: WORKSPACE_NAME, role: member.role },
  Key: key,
  KeyCreator: { id: member.id, name: member.name, is_active: true },
  WorkingKey: { id: key.id, name: key.name, prefix: key.prefix, scopes: key.scopes },
  KeySubscription: {
    id: subscription.id,
    target_url,
    is_active: true,
    event_types: subscription.event_types,
  },
  RevokedSubscription: { id: IDS.subscription, target_url },
  RevokedMaker: { id: key.id, name: key.name, prefix: key.prefix },
  RevokedKey: { state: "revoked", revoked_at: at.reopened, active_webhooks: 0, kept_subscriptions: [] },
  RotatedKey: { rotated_at: at.changed, old_secret_expires_at: "2026-10-06T17:20:09.300Z" },
  ActivityEntry: { at: at.changed, actor: { id: member.id, name: member.name } },
  ChangedObject: { type: "member", id: invited.id, name: invited.name },
  PipelineChoice: { id: pipeline.id, name: pipeline.name, is_default: true },
  FunnelStage: { id: proposed!.id, name: proposed!.name, type: proposed!.type, position: proposed!.position },
  FunnelDeal: shownDeal,
  OpenedDeal: shownDeal,
};

/** Records that replies name, by the name of the field. */
export const NAMED: Readonly<Record<string, { id: string; name: string }>> = {
  owner: { id: member.id, name: member.name },
  contact: { id: contact.id, name: contact.name },
  company: { id: company.id, name: company.name },
  key: { id: key.id, name: key.name },
  pipeline: { id: pipeline.id, name: pipeline.name },
};
