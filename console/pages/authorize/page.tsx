import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { answerRequest, type AppRequest } from "../../app/approvals.ts";
import { keepPlace } from "../../app/return.ts";
import { person } from "../../app/session.ts";
import { useAction } from "../../app/mod.ts";
import { Empty, FailureNote, Page, Skeleton } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { ConsentForm } from "./form.tsx";
import { type Offer, openRequest } from "./request.ts";

/** Codes of Supabase Auth for a request that has expired, was answered, or belongs to somebody else. */
const GONE = ["oauth_authorization_not_found", "validation_failed"];

/** The page to which Supabase Auth sends a person whom an app asks for access. */
export default function Authorize() {
  const { query } = useLocation();
  const id = query.authorization_id ?? "";
  const opened = useSignal<{ request: AppRequest; offers: Offer[] } | null>(null);
  const target = useSignal<string | null>(null);
  const { failure, run } = useAction();
  const go = (address: string) => {
    target.value = address;
    location.assign(address);
  };
  const open = () =>
    run(async () => {
      opened.value = await openRequest(id);
      const { redirect_url: known } = opened.value.request;
      if (known) go(known);
    });
  useEffect(() => {
    keepPlace(undefined);
    if (id !== "") void open();
  }, [id]);
  return (
    <main class="content narrow">
      {content()}
    </main>
  );

  function content() {
    if (target.value !== null) return <Back target={target.value} />;
    if (id === "" || GONE.includes(failure.value?.code ?? "")) {
      return (
        <Page title={t("authorize.gone")}>
          <p>{t("authorize.gone_text")}</p>
        </Page>
      );
    }
    const { request, offers } = opened.value ?? {};
    if (!request || request.redirect_url !== undefined || !offers) {
      return failure.value
        ? (
          <Page title={t("app.name")}>
            <FailureNote failure={failure.value} onRetry={open} />
          </Page>
        )
        : <Skeleton rows={5} />;
    }
    if (offers.length === 0) {
      return (
        <Page title={t("workspace.none")}>
          <Empty text={t("workspace.none_text", { email: person.value?.email ?? "" })} />
        </Page>
      );
    }
    return (
      <ConsentForm
        request={request}
        offers={offers}
        answer={async (action) => go(await answerRequest(id, action))}
      />
    );
  }
}

/** Shown while the browser opens the app. Stays if the app is a program on this device. */
function Back({ target }: { target: string }) {
  return (
    <Page title={t("authorize.back")}>
      <p>{t("authorize.back_text")}</p>
      <p>
        <a href={target}>{t("authorize.continue")}</a>
      </p>
    </Page>
  );
}
