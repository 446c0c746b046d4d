import { useEffect } from "preact/hooks";
import { ErrorBoundary } from "preact-iso/lazy";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { Boundary } from "../components/boundary.tsx";
import { Toasts } from "../components/toast.tsx";
import { ending, factorToProve, linkType, person } from "./session.ts";
import { basePath, href } from "./settings.ts";
import { Shell } from "./shell.tsx";
import { pageModule } from "./page_module.tsx";
import { keepPlace, placeToReturn } from "./return.ts";
import { NotFound } from "../pages/not_found.tsx";

const SignIn = pageModule(() => import("../pages/sign_in.tsx"));
const Password = pageModule(() => import("../pages/password.tsx"));
const Authorize = pageModule(() => import("../pages/authorize/page.tsx"));
const Funnel = pageModule(() => import("../pages/funnel/page.tsx"));
const Keys = pageModule(() => import("../pages/keys/page.tsx"));
const Webhooks = pageModule(() => import("../pages/webhooks/page.tsx"));
const Import = pageModule(() => import("../pages/import/page.tsx"));
const Activity = pageModule(() => import("../pages/activity/page.tsx"));
const Account = pageModule(() => import("../pages/account/page.tsx"));

/** The console: its pages, and the messages above them. */
export function App() {
  return (
    <LocationProvider scope={basePath}>
      <ErrorBoundary>
        <Boundary>
          <Places />
        </Boundary>
      </ErrorBoundary>
      <Toasts />
    </LocationProvider>
  );
}

/** Redirects a person without a session to the sign-in page, and a signed-in person away from it. */
function Places() {
  const { path, url, route } = useLocation();
  const below = `${path}/`.replace(/\/+$/, "/").slice(basePath.length);
  const isSignIn = below === "entrar/";
  const isPassword = below === "senha/";
  const known = person.value;

  const elsewhere =
    known === null && !isSignIn && !(isPassword && (linkType === "invalid" || factorToProve.value !== null))
      ? href("entrar/")
      : known && isSignIn
      ? placeToReturn()
      : below === ""
      ? href("chaves/")
      : null;
  useEffect(() => {
    if (elsewhere === null) return;
    if (known === null && !isSignIn && (ending.value === "expired" || ending.value === null)) keepPlace(url);
    route(elsewhere, true);
  }, [elsewhere]);
  if (elsewhere !== null || known === undefined) return null;

  if (isSignIn || isPassword || below === "autorizar/") {
    return (
      <Router>
        <Route path={href("entrar/")} component={SignIn} />
        <Route path={href("senha/")} component={Password} />
        <Route path={href("autorizar/")} component={Authorize} />
      </Router>
    );
  }
  return (
    <Shell place={below}>
      <Router>
        <Route path={href("funil/")} component={Funnel} />
        <Route path={href("importar/")} component={Import} />
        <Route path={href("chaves/")} component={Keys} />
        <Route path={href("webhooks/")} component={Webhooks} />
        <Route path={href("atividade/")} component={Activity} />
        <Route path={href("conta/")} component={Account} />
        <Route default component={NotFound} />
      </Router>
    </Shell>
  );
}
