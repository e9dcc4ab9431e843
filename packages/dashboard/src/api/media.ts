import { queryOptions } from '@tanstack/react-query'
import { ofProject } from './client/current-project.ts'
import { pathOf, send } from './client/request.ts'

/** The path that serves a `media://` URI to elements of the page. */
export function mediaPath(uri: string): string {
  return ofProject(pathOf('/v1/media/serve', { uri }))
}

export interface MediaDescription {
  readonly content_type: string
  readonly size_bytes: number | null
}

/** The type and size of a URI's content, without reading it. They never change. */
export function mediaDescriptionQuery(uri: string) {
  return queryOptions({
    queryKey: ['media', uri],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<MediaDescription> => {
      const { headers } = await send('/v1/media/serve', { method: 'HEAD', query: { uri }, signal })
      const length = headers.get('content-length')
      return {
        content_type: headers.get('content-type') ?? 'application/octet-stream',
        size_bytes: length === null ? null : Number(length),
      }
    },
  })
}

/** Most of a text that is read to show it. */
export const TEXT_BYTES = 256 * 1024

/** The beginning of a URI's content as text. */
export function mediaTextQuery(uri: string) {
  return queryOptions({
    queryKey: ['media-text', uri],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<string> => {
      const headers = { range: `bytes=0-${TEXT_BYTES - 1}` }
      return (await send('/v1/media/serve', { query: { uri }, headers, signal })).text()
    },
  })
}
