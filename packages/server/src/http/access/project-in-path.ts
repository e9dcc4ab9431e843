import type { IncomingMessage } from 'node:http'

/** What a page puts before a path of the API, so that also images and streams name the project. */
const WITH_PROJECT = /^\/p\/([^/?#]*)(\/v1\/.*)$/

const named = new WeakMap<IncomingMessage, string>()

/**
 * The URL by which a request is routed: without `/p/:project_id` in front. Of other URLs nothing changes. What stood
 * there is kept for `projectInPath`.
 */
export function withoutProject(request: IncomingMessage): string {
  const url = request.url ?? '/'
  const [, project, path] = WITH_PROJECT.exec(url) ?? []
  if (project === undefined || path === undefined) return url
  named.set(request, project)
  return path
}

/** The project that the path of a request named, not yet validated; null if there is none. */
export function projectInPath(request: IncomingMessage): string | null {
  return named.get(request) ?? null
}
