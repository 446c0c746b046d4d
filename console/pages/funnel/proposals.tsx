import { useSignal } from "@preact/signals";
import { call, now } from "../../app/mod.ts";
import { ActionDialog, Button } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { NewProposal } from "./new_proposal.tsx";
import { ProposalLink } from "./proposal_link.tsx";
import type { LinkedProposal, OpenedDeal, Proposal } from "./records.ts";
import { MOST, Row, Rows } from "./rows.tsx";
import { canBeAnswered, proposalMoments, proposalState, valueText } from "./words.ts";

/** The proposals of a deal. A person can create a proposal, send its link, and replace the link. */
export function Proposals({ deal, reload, onChange }: {
  deal: OpenedDeal;
  reload: () => void;
  onChange: (change: (shown: Proposal[]) => Proposal[]) => void;
}) {
  const adding = useSignal(false);
  const renewing = useSignal<Proposal | null>(null);
  // The link is kept only here, because it cannot be read again.
  const linked = useSignal<{ id: string; link: string } | null>(null);

  const replace = (changed: Proposal) =>
    onChange((shown) => shown.map((proposal) => proposal.id === changed.id ? changed : proposal));
  // Close the dialog first: while it is open, the new link outside it cannot get the focus.
  const created = ({ link, ...proposal }: LinkedProposal) => {
    adding.value = false;
    linked.value = { id: proposal.id, link };
    onChange((shown) => [proposal, ...shown].slice(0, MOST));
  };
  const renewed = ({ link, ...proposal }: LinkedProposal) => {
    renewing.value = null;
    linked.value = { id: proposal.id, link };
    replace(proposal);
  };
  return (
    <>
      <Rows
        title={t("deal.proposals")}
        none={t("deal.no_proposals")}
        rows={deal.proposals}
        more={<Button text={t("proposal.new")} onClick={() => adding.value = true} />}
      >
        {(proposal) => {
          const value = valueText(proposal);
          const { id, title, rejection_reason: reason } = proposal;
          return (
            <Row
              key={id}
              title={title}
              state={proposalState(proposal, now.value)}
              small={[...(value ? [value] : []), ...proposalMoments(proposal, now.value)]}
              text={reason && t("proposal.reason", { reason })}
            >
              {linked.value?.id === id
                ? (
                  <ProposalLink
                    key={linked.value.link}
                    proposal={proposal}
                    link={linked.value.link}
                    contact={deal.contact}
                    onSent={replace}
                  />
                )
                : canBeAnswered(proposal) && (
                  <Button
                    class="link"
                    text={t("proposal.new_link")}
                    of={title}
                    onClick={() => renewing.value = proposal}
                  />
                )}
            </Row>
          );
        }}
      </Rows>
      {adding.value && (
        <NewProposal
          deal={deal}
          onCreated={created}
          onFailed={reload}
          onClose={() => adding.value = false}
        />
      )}
      {renewing.value && (
        <NewLink
          proposal={renewing.value}
          onDone={renewed}
          onClose={() => renewing.value = null}
        />
      )}
    </>
  );
}

/** Asks before a proposal gets a new link, because the earlier link stops working. */
function NewLink({ proposal: { id, title, status }, onDone, onClose }: {
  proposal: Proposal;
  onDone: (linked: LinkedProposal) => void;
  onClose: () => void;
}) {
  const isDraft = status === "rascunho";
  return (
    <ActionDialog
      title={t("proposal.new_link")}
      yes={t("proposal.new_link_yes")}
      dangerous={!isDraft}
      hasSecret
      onClose={onClose}
      onSubmit={async () =>
        onDone(await call<LinkedProposal>("POST", `app-v1-funnel/proposals/${id}/link`, { body: {} }))}
    >
      <p class="clamped">{title}</p>
      <p class={isDraft ? "note" : "note failed"}>
        {t(isDraft ? "proposal.new_link_draft" : "proposal.new_link_stops")}
      </p>
      <p>{t("proposal.new_link_why")}</p>
    </ActionDialog>
  );
}
