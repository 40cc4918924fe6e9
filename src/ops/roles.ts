/** Who may see the operators' screens, and who may change anything from them. */
export type Role = "read" | "operator";
