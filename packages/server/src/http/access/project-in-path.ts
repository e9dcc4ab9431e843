import type { IncomingMessage } from 'node:http'

/** Prefix that a page puts before a path of the API, so that images and streams name the project too. */
const WITH_PROJECT = /^\/p\/([^/?#]*)(\/v1\/.*)$/

const named = new WeakMap<IncomingMessage, string>()

/**
 * The URL by which a request is routed: without `/p/:project_id` in front. Other URLs do not change. `projectInPath`
 * returns the removed project.
 */
export function withoutProject(request: IncomingMessage): string {
  const url = request.url ?? '/'
  const [, project, path] = WITH_PROJECT.exec(url) ?? []
  if (project === undefined || path === undefined) return url
  named.set(request, project)
  return path
}

/** The project that the path of a request names, not yet validated; null without one. */
export function projectInPath(request: IncomingMessage): string | null {
  return named.get(request) ?? null
}
