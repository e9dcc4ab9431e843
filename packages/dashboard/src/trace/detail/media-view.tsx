import type { Attachment } from '@spoor/contract/schemas/attachment'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { mediaDescriptionQuery, mediaPath } from '../../api/media.ts'
import { formatBytes } from '../../lib/format-number.ts'
import { ownScript } from '../../ui/own-script.tsx'
import { Skeleton } from '../../ui/states.tsx'

/** Image formats that cannot contain scripts. Other formats are only for download. */
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp)$/

/** As the service shows them inline: plain text, whatever their content. */
const TEXTS = /^(text\/(?!html$|xml$|javascript$)|application\/(json|x-ndjson|jsonl|yaml|x-yaml|toml)$)/
const TABLES = /^text\/(csv|tab-separated-values)$/
const TABLE_NAMES = /\.(csv|tsv)$/i

const TextFile = ownScript(() => import('./text-file.tsx').then((module) => module.TextFile))

interface MediaViewProps {
  readonly uri: string
  readonly contentType: string
  readonly sizeBytes: number | null
  readonly name: string
  readonly width?: number | null
  readonly height?: number | null
}

/** Stored media in place: image, audio, video, text or a table; otherwise a download link. */
function MediaView({ uri, contentType, sizeBytes, name, width, height }: MediaViewProps) {
  const [failed, setFailed] = useState(false)
  const path = mediaPath(uri)
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const onError = () => setFailed(true)
  return (
    <figure className="min-w-0 space-y-1">
      {!failed && IMAGES.test(type) && (
        <a href={path} target="_blank" rel="noopener noreferrer" className="inline-block max-w-full">
          <img
            src={path}
            alt={name}
            loading="lazy"
            onError={onError}
            {...(width && height ? { width, height } : {})}
            className="bg-sunken h-auto max-h-96 w-auto max-w-full rounded-md border object-contain"
          />
        </a>
      )}
      {!failed && type.startsWith('audio/') && (
        <audio controls preload="metadata" src={path} aria-label={name} onError={onError} className="w-full max-w-md" />
      )}
      {!failed && type.startsWith('video/') && (
        <video
          controls
          preload="metadata"
          src={path}
          aria-label={name}
          onError={onError}
          className="max-h-96 max-w-full rounded-md border"
        />
      )}
      {TEXTS.test(type) && sizeBytes !== 0 && (
        <TextFile
          uri={uri}
          isTable={TABLES.test(type) || TABLE_NAMES.test(name)}
          sizeBytes={sizeBytes}
          meanwhile={<Skeleton className="h-24 w-full" />}
        />
      )}
      <figcaption className="text-muted flex min-w-0 flex-wrap items-center gap-x-2 text-xs">
        <a
          href={path}
          download={name}
          className="text-accent inline-flex min-w-0 items-center gap-1 underline"
          title={name}
        >
          <Download className="size-3.5 shrink-0" aria-hidden />
          <bdi className="truncate">{name}</bdi>
        </a>
        <span>{type}</span>
        {sizeBytes !== null && <span>{formatBytes(sizeBytes)}</span>}
        {failed && <span className="text-warn">This browser can't display this file.</span>}
      </figcaption>
    </figure>
  )
}

export function AttachmentList({ attachments }: { attachments: readonly Attachment[] }) {
  const [shown, setShown] = useState(20)
  return (
    <div className="space-y-3">
      {attachments.slice(0, shown).map(({ id, uri, content_type, size_bytes, filename, kind, width, height }) => (
        <MediaView
          key={id}
          uri={uri}
          contentType={content_type}
          sizeBytes={size_bytes}
          name={filename ?? kind}
          width={width}
          height={height}
        />
      ))}
      {attachments.length > shown && (
        <button type="button" className="text-accent text-sm underline" onClick={() => setShown(shown + 20)}>
          Show more of {attachments.length}
        </button>
      )}
    </div>
  )
}

/** Media of a message by URI. The service reports the type. */
export function MediaByUri({ uri }: { uri: string }) {
  const { data, error } = useQuery(mediaDescriptionQuery(uri))
  if (error !== null) {
    return (
      <p className="text-muted text-sm">
        <bdi className="font-mono text-xs break-all">{uri}</bdi> not found. It may have been deleted.
      </p>
    )
  }
  if (data === undefined) return <Skeleton className="h-24 w-48" />
  const name = `${uri.slice(-8)} (media)`
  return <MediaView uri={uri} contentType={data.content_type} sizeBytes={data.size_bytes} name={name} />
}
