/** The roles of a member, each with the rights of those before it. An admin and a gestor manage the workspace. */
export const ROLES = ["vendedor", "gestor", "admin"] as const;

/** The role of a member. */
export type Role = typeof ROLES[number];
