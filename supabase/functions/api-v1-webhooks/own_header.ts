import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import type { Json } from "../_shared/contract/json.ts";
import { field, object } from "../_shared/contract/object.ts";
import { encryptSecret, headerOf } from "../_shared/webhooks/secret.ts";

const NAME = /^(?:[Aa]uthorization|[Xx](?:-[A-Za-z0-9]+)+)$/;
/**
 * The names that a subscription's header may not have: our own headers, and headers that could change the origin, path
 * or method that proxies and frameworks see.
 */
const RESERVED = /^x-(?:service|forwarded|real-ip|http-method|method-override|original|rewrite)(?:-|$)/i;
/** Visible ASCII, with spaces only inside, as in `Bearer …`. No line break, which would begin another header. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const NAME_TEXTS = ["Nome do cabeçalho", "Name of the header", "Authorization"] as const;

export const OwnHeader = object({
  name: field(
    z.string().max(64)
      .regex(NAME, "Deve ser Authorization ou começar com X-, com letras, dígitos e hifens")
      .refine((name) => !RESERVED.test(name), "Este nome é reservado; escolha outro, como X-Api-Key"),
    NAME_TEXTS,
  ),
  value: field(
    z.string().max(500).regex(
      VALUE,
      "Deve ter de 1 a 500 caracteres ASCII visíveis, com espaços só entre eles",
    ),
    [
      "Valor, que nenhuma resposta mostra; sem espaços no começo nem no fim",
      "Value, which no reply shows; without spaces at its beginning or end",
      "Bearer exemplo",
    ],
  ),
}).meta(named("OwnHeader", "Um cabeçalho que o receptor pede", "A header that the receiver wants"));

export const HeaderName = object({ name: field(z.string(), NAME_TEXTS) }).meta(
  named("OwnHeaderName", "O cabeçalho, sem o valor", "The header, without its value"),
);

/**
 * The arguments of a verb that writes a subscription, with the header's value encrypted for the subscription. Members'
 * verbs treat null as absent, so `{}` stands for a null header or null filters, and `full` for a null payload.
 */
export async function withSealedHeader(
  { header, filters, payload, ...others }: Record<string, Json>,
  id: string,
): Promise<Record<string, Json>> {
  const { name, value } = (header ?? {}) as { name?: string; value?: string };
  return {
    ...others,
    ...(filters !== undefined && { filters: filters ?? {} }),
    ...(payload !== undefined && { payload: payload ?? "full" }),
    ...(header !== undefined && { header: header === null ? {} : { name: name! } }),
    ...(value !== undefined && { encrypted_header: await encryptSecret(value, headerOf(id)) }),
  };
}
