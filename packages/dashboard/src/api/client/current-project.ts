const IN_PATH = /^\/app\/p\/([^/]+)(?=\/|$)/

/**
 * The project that this page shows. It stands in the page's address, so that each tab has its own, and in the path of
 * each request. Null until the address names one or the session is known.
 */
let current: string | null = null

/** Null: the address does not name a project. */
export function projectInAddress(pathname: string): string | null {
  return IN_PATH.exec(pathname)?.[1] ?? null
}

export function enterProject(projectId: string | null): void {
  current = projectId
}

/** A path of the service: those below /v1 are for the current project. */
export function ofProject(path: string): string {
  return current === null || !path.startsWith('/v1/') ? path : `/p/${current}${path}`
}

/** The address of a screen of the current project, as the address bar shows it. */
export function toAddress(pathname: string): string {
  return current === null ? pathname : pathname.replace(/^\/app(?=\/|$)/, `/app/p/${current}`)
}

/** The address of a screen without the project, as routes and links name it. */
export function fromAddress(pathname: string): string {
  return pathname.replace(IN_PATH, '/app')
}
