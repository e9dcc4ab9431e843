import { Type } from 'typebox'
import { Health, Readiness } from '../schemas/health.ts'
import { Settings } from '../schemas/settings.ts'
import type { Operation } from './operation.ts'

export const SERVICE_OPERATIONS = {
  getHealth: {
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    summary: 'Is the process alive?',
    description: 'Answers as long as the process does; looks at no store.',
    scopes: null,
    takesAnyHead: true,
    responses: { 200: { description: 'It is.', content: { 'application/json': Health } } },
    errors: [],
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    summary: 'Can the service take requests?',
    description: 'Looks at everything the service needs.',
    scopes: null,
    responses: {
      200: { description: 'It can.', content: { 'application/json': Readiness } },
      503: { description: 'It cannot; `checks` says why.', content: { 'application/json': Readiness } },
    },
    errors: [],
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'service',
    summary: 'Figures of the service for Prometheus',
    description: 'Requests, queue depth, commit latency and size, open tails, store size.',
    scopes: null,
    responses: {
      200: {
        description: 'The Prometheus text format.',
        content: { 'text/plain': Type.String({ description: 'Prometheus text exposition.' }) },
      },
    },
    errors: [],
  },
  getSettings: {
    method: 'GET',
    path: '/v1/settings',
    tag: 'service',
    summary: 'What is set',
    description: 'Limits, retention and features, the same for all projects. Nothing secret.',
    scopes: ['read'],
    responses: { 200: { description: 'What is set.', content: { 'application/json': Settings } } },
    errors: [],
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'service',
    summary: 'This document',
    description: 'OpenAPI 3.1, made from the schemas that validate the requests.',
    scopes: null,
    responses: {
      200: {
        description: 'The document.',
        content: {
          'application/json': Type.Unsafe<Record<string, unknown>>({
            type: 'object',
            required: ['openapi', 'info', 'paths', 'components'],
            description: 'An OpenAPI document.',
          }),
        },
      },
    },
    errors: [],
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    tag: 'service',
    summary: 'This document, to read',
    description: 'A page that shows every operation and its schemas.',
    scopes: null,
    takesAnyHead: true,
    responses: {
      200: { description: 'The page.', content: { 'text/html': Type.String({ description: 'HTML.' }) } },
      302: { description: 'The address has a query: the page is at its address without one.', content: {} },
    },
    errors: [],
  },
} as const satisfies Record<string, Operation>
