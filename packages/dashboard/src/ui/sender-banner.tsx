import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert, X } from 'lucide-react'
import { useState } from 'react'
import { sendersQuery } from '../api/settings.ts'
import { dismissSender, senderToWarnOf, senderName } from '../lib/senders.ts'
import { formatCount } from '../lib/format-number.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { IconButton } from './button.tsx'

/** Names the first sender of which a part was not understood, until the reader dismisses it. */
export function SenderBanner({ enabled = true }: { enabled?: boolean }) {
  const mayRead = useMay('read')
  const { data } = useQuery({ ...sendersQuery, enabled: enabled && mayRead })
  const [, setDismissed] = useState(0)
  const sender = senderToWarnOf(data?.senders ?? [], localStorage)
  if (sender === undefined) return null
  return (
    <div role="status" className="bg-warn-ground text-warn flex items-start gap-2.5 border-b px-4 py-2 text-sm">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1 break-words">
        Spoor did not understand {formatCount(sender.not_understood)} of {formatCount(sender.spans)} spans of{' '}
        <bdi className="font-semibold">{senderName(sender)}</bdi>.{' '}
        <Link to="/app/settings" search={{ tab: 'senders' }} className="underline">
          See what to set
        </Link>
      </p>
      <IconButton
        icon={X}
        className="-my-1 text-inherit!"
        label={`Dismiss the note about ${senderName(sender)}`}
        onClick={() => {
          dismissSender(sender, localStorage)
          setDismissed((count) => count + 1)
        }}
      />
    </div>
  )
}
