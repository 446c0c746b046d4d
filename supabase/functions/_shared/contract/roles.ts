/** The roles of a member; each has the rights of those before it. */
export const ROLES = ["vendedor", "gestor", "admin"] as const;

export type Role = typeof ROLES[number];
