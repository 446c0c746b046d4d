import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

/** Texts of a company's fields. */
export const companyFields: FieldDocs = {
  name: doc("Nome", "Name", "Padaria Sol"),
  legal_name: doc("Razão social", "Legal name", "Padaria Sol Ltda."),
  tax_id: doc(
    "CNPJ ou outro registro, guardado em maiúsculas e sem pontuação",
    "CNPJ or another tax id, stored in upper case and without punctuation",
    "12ABC34501DE35",
  ),
  domain: doc("Domínio, guardado em minúsculas", "Domain, stored in lower case", "padariasol.com.br"),
  website: doc("Site", "Website", "https://padariasol.com.br"),
  email: doc(
    "E-mail, guardado em minúsculas",
    "E-mail address, stored in lower case",
    "contato@padariasol.com.br",
  ),
  industry: doc("Setor", "Industry", "Alimentação"),
  employee_count: doc("Número de funcionários", "Number of employees", 40),
  address: doc("Endereço", "Address"),
};

/** Texts of an address's lines. */
export const addressFields: FieldDocs = {
  street: doc("Logradouro", "Street", "Rua das Flores"),
  number: doc("Número", "Number", "100"),
  complement: doc("Complemento", "Complement"),
  district: doc("Bairro", "District", "Centro"),
  city: doc("Cidade", "City", "Campinas"),
  state: doc("Estado", "State", "SP"),
  postal_code: doc("CEP", "Postal code", "13010-000"),
  country: doc("País", "Country", "BR"),
};
