import { useId } from "preact/hooks";
import { t } from "../../strings/strings.ts";
import { type Preset, PRESETS } from "./presets.ts";
import { accessText, ERASE, isSameSet, resourcesOf, resourceText, SCOPES } from "./scopes.ts";
import { Button } from "../../components/mod.ts";

/** Fields for choosing scopes: a whole set at once, or scope by scope. */
export function ScopeFields({ legend, scopes, offered = SCOPES, presets = PRESETS, onChange, error }: {
  legend: string;
  scopes: string[];
  /** The scopes that can be chosen. */
  offered?: readonly string[];
  presets?: Preset[];
  onChange: (scopes: string[]) => void;
  error: string | undefined;
}) {
  const id = useId();
  const toggle = (scope: string) =>
    onChange(SCOPES.filter((known) => known === scope ? !scopes.includes(scope) : scopes.includes(known)));
  return (
    <fieldset class="stack" aria-describedby={error && id}>
      <legend>{legend}</legend>
      <div class="actions presets" role="group" aria-label={t("scopes.presets")}>
        {presets.map(({ name, scopes: all }) => {
          const given = all.filter((scope) => offered.includes(scope));
          return (
            <Button
              text={t(`scopes.preset_${name}`)}
              key={name}
              aria-pressed={isSameSet(scopes, given)}
              onClick={() => onChange(given)}
            />
          );
        })}
      </div>
      <ul class="scopes">
        {resourcesOf(offered.filter((scope) => scope !== ERASE)).map(({ name, scopes: ofResource }) => (
          <li key={name}>
            <span>{resourceText(name)}</span>
            {ofResource.map((scope) => (
              <label key={scope} class="check" title={scope}>
                <input
                  type="checkbox"
                  checked={scopes.includes(scope)}
                  aria-label={`${resourceText(name)}: ${accessText(scope)}`}
                  onChange={() => toggle(scope)}
                />
                {accessText(scope)}
              </label>
            ))}
          </li>
        ))}
      </ul>
      {offered.includes(ERASE) && (
        <label class="check note waits" title={ERASE}>
          <input type="checkbox" checked={scopes.includes(ERASE)} onChange={() => toggle(ERASE)} />
          <span>
            <strong>{t("scopes.erase")}</strong> {t("scopes.erase_text")}
          </span>
        </label>
      )}
      {error && <p id={id} class="field-error" role="alert" tabIndex={-1}>{error}</p>}
    </fieldset>
  );
}
