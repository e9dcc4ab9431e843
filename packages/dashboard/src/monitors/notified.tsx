import type { Webhook } from '@spoor/contract/schemas/webhook'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../api/client/api-error.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'

/** The webhooks that are told when a monitor fires, or that there is none. */
export function Notified() {
  const { project_id } = useSession()
  const mayManage = useMay('manage')
  const { data: webhooks, error } = useQuery(webhooksQuery(project_id))
  if (error !== null) return <span className="text-fail">{asApiError(error).message}</span>
  if (webhooks === undefined) return <span className="text-muted">…</span>
  const told = webhooks.filter(({ enabled, events }) => enabled && events.includes('monitor.fired'))
  if (told.length === 0) {
    return (
      <span className="text-warn">
        Nobody is notified.{' '}
        {mayManage && (
          <Link to="/app/webhooks" search={{ create: 'monitor.fired' }} className="text-accent underline">
            Create webhook
          </Link>
        )}
      </span>
    )
  }
  return (
    <ul className="flex flex-wrap gap-x-3">
      {told.map((webhook) => (
        <li key={webhook.id} className="min-w-0">
          <Link
            to="/app/webhooks/$webhookId"
            params={{ webhookId: webhook.id }}
            className="text-accent block min-h-6 truncate hover:underline"
            title={webhook.url}
          >
            {nameOf(webhook)}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function nameOf({ description, url }: Webhook): string {
  if (description !== '') return description
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.host}${parsed.pathname.replace(/\/$/, '')}`
}
