import { cut, type Told } from './told.ts'

/** Limits of Discord, in characters. All texts of an embed together may have 6,000. */
const TITLE = 256
const DESCRIPTION = 2000
const FIELD_VALUE = 300

const COLORS = { bad: 0xd93036, good: 0x2f9e5b, neutral: 0x6b7280 } as const

/** For a webhook of a channel: https://docs.discord.com/developers/resources/webhook#execute-webhook */
export function discordMessage({ message, event, link }: Told): object {
  const { title, text, fields, tone } = message
  return {
    // No text of a trace can notify anyone.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: cut(escaped(title), TITLE),
        ...(text === null || text === '' ? {} : { description: cut(escaped(text), DESCRIPTION) }),
        ...(link === null ? {} : { url: link }),
        color: COLORS[tone],
        fields: fields.map(([name, value]) => ({ name, value: cut(escaped(value), FIELD_VALUE) || '-', inline: true })),
        timestamp: event.timestamp,
      },
    ],
  }
}

/** Characters of Markdown. Discord makes links of bare addresses unless something invisible breaks them. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()<-]/g, (character) => `\\${character}`).replaceAll('://', ':\u200B//')
}
