import { cut, type Told } from './told.ts'

/** Limits of Slack, in characters. A header is plain text, so nothing in it is markup. */
const HEADER = 150
const SECTION = 3000
const FIELD = 2000
/** Fields of a section. */
const MOST_FIELDS = 10

/** For an incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export function slackMessage({ message, event, link }: Told): object {
  const { title, text, fields } = message
  return {
    // Shown in notifications, where blocks are not.
    text: escaped(title, SECTION),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, HEADER), emoji: false } },
      ...(text === null || text === '' ? [] : [{ type: 'section', text: markup(escaped(text, SECTION)) }]),
      ...(fields.length === 0
        ? []
        : [
            {
              type: 'section',
              fields: fields
                .slice(0, MOST_FIELDS)
                .map(([name, value]) => markup(`*${name}*\n${escaped(value, FIELD - 50)}`)),
            },
          ]),
      {
        type: 'context',
        elements: [markup([...(link === null ? [] : [`<${link}|Open in Spoor>`]), event.timestamp].join(' · '))],
      },
    ],
  }
}

function markup(text: string): object {
  return { type: 'mrkdwn', text, verbatim: true }
}

/** The three characters that are markup: without them no text can mention or link. Cut before, so no entity is cut. */
function escaped(text: string, most: number): string {
  // Each character may become five.
  return cut(text, Math.floor(most / 5))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
