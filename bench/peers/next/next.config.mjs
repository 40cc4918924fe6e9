// As `create-next-app` leaves it; the folder is named, for Next would take the lockfile furthest up for the project's.
export default { outputFileTracingRoot: import.meta.dirname };
