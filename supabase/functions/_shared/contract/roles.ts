/** The roles of a member; each has the rights of those before it. */
export const ROLES = ["vendedor", "gestor", "admin"] as const;

/** The role of a member. */
export type Role = typeof ROLES[number];
