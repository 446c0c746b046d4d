import { doc } from "../_shared/contract/doc.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import { type InvitationMail, sendInvitation } from "./invitation.ts";
import { Invitation, InvitedMember, MemberList, MemberPatch, UpdatedMember } from "./schema.ts";

const invite = async (member: Record<string, unknown>) => ({
  invitation_sent: await sendInvitation(member as unknown as InvitationMail),
});

export const members = resource(
  "app-v1-members",
  {
    "GET /": endpoint({
      summary: doc("Lista os membros", "List members"),
      role: "vendedor",
      reply: MemberList,
      verb: "member_list",
    }),
    "POST /": endpoint({
      summary: doc("Adiciona e convida um membro", "Add and invite a member"),
      role: "admin",
      body: Invitation,
      reply: InvitedMember,
      status: 201,
      verb: "member_invite",
      errors: ["email_taken", "too_many_invitations"],
      finish: invite,
    }),
    "PATCH /:id": endpoint({
      summary: doc("Altera, desativa ou reativa um membro", "Change, deactivate or reactivate a member"),
      role: "admin",
      body: MemberPatch,
      reply: UpdatedMember,
      verb: "member_update",
      errors: ["last_admin"],
    }),
    "POST /leave": endpoint({
      summary: doc("Sai da empresa", "Leave the workspace"),
      role: "vendedor",
      ...noBody,
      reply: UpdatedMember,
      verb: "member_leave",
      errors: ["not_found", "last_admin"],
    }),
    "POST /:id/invite": endpoint({
      summary: doc(
        "Convida de novo um membro que ainda não entrou",
        "Invite again a member who has not signed in",
      ),
      role: "admin",
      ...noBody,
      reply: InvitedMember,
      verb: "member_reinvite",
      errors: ["already_signed_in", "too_many_invitations"],
      finish: invite,
    }),
  },
  doc("As pessoas da empresa", "The people of the workspace"),
);
