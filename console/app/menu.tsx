import { signal } from "@preact/signals";
import { chooseLocale, type Locale, locale } from "../strings/locale.ts";
import { t } from "../strings/strings.ts";
import { Button } from "../components/button.tsx";
import { Select } from "../components/field.tsx";
import { mayLeave } from "./leaving.ts";
import { keepPreference, readPreference } from "./preferences_store.ts";
import { person, signOut } from "./session.ts";
import { href } from "./settings.ts";

type Theme = "" | "light" | "dark";
const theme = signal((readPreference("theme") ?? "") as Theme);

function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  keepPreference("theme", chosen || null);
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

/** The menu with theme and language; it also shows who is signed in. */
export function Preferences() {
  return (
    <div class="stack">
      {person.value && <p class="small broken">{t("menu.signed_in_as", { email: person.value.email })}</p>}
      <Select
        label={t("menu.theme")}
        value={theme.value}
        onChange={({ currentTarget }) => chooseTheme(currentTarget.value as Theme)}
        options={[
          { value: "", text: t("menu.theme_system") },
          { value: "light", text: t("menu.theme_light") },
          { value: "dark", text: t("menu.theme_dark") },
        ]}
      />
      <LanguageSelect />
      <a class="link" href={href("senha/")}>{t("menu.password")}</a>
    </div>
  );
}

/** Lets a person choose the language, signed in or not. */
export function LanguageSelect() {
  return (
    <Select
      label={t("menu.language")}
      value={locale.value}
      onChange={({ currentTarget }) => chooseLocale(currentTarget.value as Locale)}
      options={[{ value: "pt", text: "Português" }, { value: "en", text: "English" }]}
    />
  );
}

/** Ends the session; asks first if the person would lose something on the page, such as an uncopied secret. */
export function SignOutButton() {
  return <Button text={t("menu.sign_out")} onClick={async () => await mayLeave() && await signOut()} />;
}
