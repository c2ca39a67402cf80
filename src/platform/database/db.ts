/** The pool of connections to PostgreSQL, and its errors after which a later attempt can succeed. */
import postgres, { type Fragment, type PendingQuery, type Row } from "postgres";
import { type Tls, takeTls } from "./tls.ts";

export type Sql = postgres.Sql;

interface PoolOptions {
  /** Maximum connections of this process. They are opened when queries need them. */
  poolSize: number;
  /** False behind a transaction pooler that keeps no prepared statements. */
  prepare: boolean;
}

/**
 * Opens a pool; no connection is made before the first query.
 * @param url `postgres://user:password@host:port/database`, with libpq's `sslmode`, `sslrootcert` and
 * `connect_timeout` (seconds). A Unix socket is named by its directory:
 * `postgres://user@localhost/database?host=/var/run/postgresql`.
 * @returns the postgres.js tag. `bigint` and `numeric` arrive as strings: cast (`::int`) what fits.
 * @throws {Error} when the URL cannot be parsed, or its root certificate cannot be read
 */
export function connect(url: string, { poolSize, prepare }: PoolOptions): Sql {
  const { base, path, database, ssl, connectTimeout } = parseUrl(url);
  const options = {
    max: poolSize,
    prepare,
    onnotice: () => {},
    // Result columns only: `postgres.camel` renames the keys inside jsonb, which are submission data.
    transform: { column: { from: toCamel } },
    // Parameters that a transaction pooler lets through. postgres.js reads dates of this style only.
    connection: { application_name: "formd", DateStyle: "ISO, MDY" },
    connect_timeout: connectTimeout,
    // No pause between attempts: each serves a query, at most `poolSize` connect at a time, and a failure
    // fails its query. A pause would turn an outage into a queue that grows faster than it fails, and would
    // delay recovery.
    backoff: () => 0,
    // Seconds. Releases connections for other instances after a peak. A steady load never reaches it.
    idle_timeout: 300,
    // Seconds, randomized: connections do not all reopen at once. Needed after a failover.
    max_lifetime: 60 * (30 + Math.random() * 30),
    // One query per new connection: without it postgres.js cannot send an array as a parameter.
    fetch_types: true,
    // One query at a time per connection: postgres.js would otherwise queue a hundred behind a slow one, even
    // while other connections are idle. Not 1, which still queues one. Safe only with patches/.
    max_pipeline: 0,
    ssl,
    ...(path && { path }),
    ...(database && { database }),
  };
  return postgres(base, options);
}

/** Converts a column's name to the name in rows. */
export const { toCamel } = postgres;

/** Opens one connection without prepared statements. It is closed at the end of its scope (`await using`). */
export function connectOnce(url: string): Sql & AsyncDisposable {
  const sql = connect(url, { poolSize: 1, prepare: false });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) });
}

/** Decodes the name of a database in a URL. postgres.js decodes only user and password. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new Error(`the database ${name} in the URL has a "%" that encodes no character: write %25 for one`);
  }
}

interface Address {
  base: string;
  path?: string;
  database?: string;
  ssl: Tls;
  connectTimeout: number;
}

/** Removes libpq's parameters from a URL: postgres.js would send them to the server as settings. */
function parseUrl(url: string): Address {
  const [base = "", query = ""] = url.split("?", 2);
  const database = decodeName(/^\w+:\/\/[^/]*\/([^/]+)$/.exec(base)?.[1] ?? "");
  const parameters = new URLSearchParams(query);
  const directory = parameters.get("host") ?? parameters.get("socket");
  const isSocket = directory?.startsWith("/") ?? false;
  const ssl = takeTls(parameters, isSocket);
  // Seconds. An unresponsive host must lead to a 503 before the caller gives up.
  const connectTimeout = Number(parameters.get("connect_timeout")) || 5;
  parameters.delete("connect_timeout");
  const withParameters = (address: string) => (parameters.size ? `${address}?${parameters}` : address);
  if (!isSocket) return { base: withParameters(base), database, ssl, connectTimeout };
  const port = parameters.get("port") ?? /:(\d+)\/[^/]*$/.exec(base)?.[1] ?? "5432";
  for (const name of ["host", "socket", "port"]) parameters.delete(name);
  // `postgres://user@/database` is valid for libpq, and not for WHATWG's parser.
  const named = base.replace(/^(\w+:\/\/(?:[^/@]*@)?)(?=\/)/, "$1localhost");
  return {
    base: withParameters(named),
    path: `${directory}/.s.PGSQL.${port}`,
    database,
    ssl,
    connectTimeout,
  };
}

/** Wraps a pool to observe each query when it is awaited: a fragment in another query never is. */
export function observed(sql: Sql, observe: (result: PromiseLike<unknown>) => void): Sql {
  // One function for all queries: fragments are queries too, and a request has up to eight.
  const observedThen: PendingQuery<Row[]>["then"] = function (this: PendingQuery<Row[]>, onResult, onError) {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise, and stays one
    this.then = Object.getPrototypeOf(this).then;
    observe(this);
    return this.then(onResult, onError);
  };
  return new Proxy(sql, {
    apply(tag, _, parts: Parameters<Sql>) {
      const query = tag(...parts);
      // biome-ignore lint/suspicious/noThenProperty: it is a promise, and stays one
      if (query instanceof Promise) query.then = observedThen;
      return query;
    },
  });
}

/** The row of a query that returns exactly one. @throws {Error} if not: it is no "not found". */
export function oneRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined || rows.length > 1)
    throw new Error(`A query that always returns one row has returned ${rows.length}.`);
  return row;
}

export const rowOf = async <T>(query: PromiseLike<readonly T[]>): Promise<T> => oneRow(await query);

/** The database's clock, which servers share: what decides whose row is later uses no server's own. */
export const databaseTime = async (sql: Sql): Promise<Date> =>
  (await rowOf(sql<{ now: Date }[]>`select clock_timestamp() as now`)).now;

/** Returns the value of a query with one column and at most one row, as text; null: no row. */
export const queryText = async (sql: Sql, query: Fragment): Promise<string | null> =>
  oneRow(await sql<{ result: string | null }[]>`select (${query})::text as result`).result;

/** A `jsonb` parameter. Cast: callers pass parsed JSON, and the driver's type has no `unknown`. */
export const jsonb = (sql: Sql, value: unknown) => sql.json(value as postgres.JSONValue);

/** Formats bytes as PostgreSQL reads them from JSON. */
export const toByteaText = (bytes: Uint8Array): string => `\\x${bytes.toHex()}`;

/** Checks whether a statement exceeded lock_timeout or statement_timeout. Nothing of it was committed. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && ["55P03", "57014"].includes((error as NodeJS.ErrnoException).code ?? "");
