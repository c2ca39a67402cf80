/**
 * The blocks of docs/operate/proxy.md, each read by its own program, with two instances, which get files of
 * the largest size, and are restarted one after the other at 200 requests per second, a fifth of them POSTs.
 * FORMD_PROXY_ROLLS: how often; once by default.
 */
import { expect, setDefaultTimeout } from "bun:test";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import { until } from "../expect.ts";
import { blockOf } from "../pages.ts";
import {
  freePort,
  makeForm,
  makeTeam,
  onCleanup,
  permissive,
  run,
  type Server,
  server,
  service,
  settingsFor,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";

setDefaultTimeout(1_800_000);

const rolls = Number(process.env.FORMD_PROXY_ROLLS ?? 1);
const perSecond = 200;
/** The default. */
const filesMaxBytes = 10_485_760;
const clients = 20;
const page = "docs/operate/proxy.md";

interface Place {
  folder: string;
  /** PEM files. */
  certificate: string;
  privateKey: string;
  proxyPort: number;
  ports: [number, number];
}

/** The page's block for this place. */
const blockFor = (language: string, { ports: [one, other] }: Place): string =>
  blockOf(page, language)
    .replaceAll("127.0.0.1:8081", `127.0.0.1:${one}`)
    .replaceAll("127.0.0.1:8082", `127.0.0.1:${other}`);

/** Starts each program with the page's block. @returns its arguments */
const programs: Record<string, (place: Place) => string[]> = {
  nginx(place) {
    const { folder, certificate, privateKey, proxyPort } = place;
    const block = blockFor("nginx", place)
      .replace("listen 443", `listen 127.0.0.1:${proxyPort}`)
      .replace("server_name forms.example.org", "server_name localhost")
      .replace("/etc/ssl/forms.pem", certificate)
      .replace("/etc/ssl/forms.key", privateKey);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const settings = ["daemon off;", `pid ${folder}/pid;`, `error_log ${folder}/error.log;`, "events {}"];
    const file = join(folder, "nginx.conf");
    writeFileSync(file, `${settings.join("\n")}\nhttp {\naccess_log off;\n${paths.join("\n")}\n${block}}\n`);
    return ["-c", file, "-p", folder];
  },
  haproxy(place) {
    const { folder, certificate, privateKey, proxyPort } = place;
    const both = join(folder, "both.pem");
    writeFileSync(both, readFileSync(certificate, "utf8") + readFileSync(privateKey, "utf8"));
    const file = join(folder, "haproxy.cfg");
    const block = blockFor("haproxy", place)
      .replace("bind :443", `bind 127.0.0.1:${proxyPort}`)
      .replace("/etc/ssl/forms-and-key.pem", both);
    writeFileSync(file, `${block}\n`);
    return ["-db", "-f", file];
  },
  caddy(place) {
    const { folder, certificate, privateKey, proxyPort } = place;
    const file = join(folder, "Caddyfile");
    const block = blockFor("caddy", place).replace(
      "forms.example.org {",
      `https://localhost:${proxyPort} {\n\ttls ${certificate} ${privateKey}`,
    );
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${block}`);
    return ["run", "--adapter", "caddyfile", "--config", file];
  },
};

for (const [program, configure] of Object.entries(programs))
  testRequiring(program, "openssl")(
    `the page's ${program} takes files of FILES_MAX_BYTES, and a rolling restart behind it costs no request`,
    async () => {
      const app = await service(permissive);
      const team = await makeTeam(app);
      const fields = [
        { id: "n", type: "number", label: "N" },
        { id: "any", type: "file", label: "Any" },
      ];
      const form = await makeForm(app, team, fields, { settings: { page: { enabled: true } } });
      const folder = temporaryFolder();
      const place: Place = {
        folder,
        certificate: join(folder, "forms.pem"),
        privateKey: join(folder, "forms.key"),
        proxyPort: await freePort(),
        ports: [await freePort(), await freePort()],
      };
      const subject = ["-subj", "/CN=localhost", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
      await run("openssl", [
        "req",
        "-x509",
        ...subject,
        "-keyout",
        place.privateKey,
        "-out",
        place.certificate,
      ]);
      const base = `https://localhost:${place.proxyPort}`;
      const instance = (port: number) =>
        server({
          ...settingsFor(app.database),
          ...permissive,
          PORT: String(port),
          BASE_URL: base,
          DRAIN_SECONDS: "3",
          FILES_URL: `file://${folder}/files`,
          FILES_MAX_BYTES: String(filesMaxBytes),
          LOG_LEVEL: "info",
        });
      const instances = [await instance(place.ports[0]), await instance(place.ports[1])];
      const proxy = spawn(program, configure(place), {
        stdio: "ignore",
        env: { ...process.env, HOME: folder },
      });
      // Not SIGKILL: the workers of nginx would stay.
      onCleanup(async () => void proxy.kill("SIGTERM"));

      const send = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(base + path, {
          ...init,
          headers: { "x-api-key": team.key, ...init.headers },
          tls: { rejectUnauthorized: false },
        });
        await response.body?.cancel();
        return response.status;
      };
      const list = () => send("/papi/v1/management/forms");
      let sent = 0;
      const submit = () =>
        send("/papi/v1/submitter/form/submissions", {
          method: "POST",
          headers: { "content-type": "application/json", "x-form-access-key": form.accessKey },
          body: JSON.stringify({ data: { n: ++sent } }),
        });
      await until(async () => (await list().catch(() => 0)) === 200);
      expect(await send("/metrics")).toBe(403);

      const file = new Uint8Array(filesMaxBytes).fill(65);
      const formOf = (name: string) => {
        const sent = new FormData();
        sent.append(name, new File([file], "a.txt"));
        return sent;
      };
      const upload = (body: FormData | Uint8Array<ArrayBuffer>) =>
        send("/papi/v1/submitter/form/files?field=any", {
          method: "POST",
          headers: { "x-form-access-key": form.accessKey },
          body,
        });
      expect([await upload(file), await upload(formOf("file"))]).toEqual([200, 200]);
      const pagePath = pagePathOf({ team: team.id, form: form.id });
      const page = { method: "POST", headers: { accept: "text/html" }, body: formOf("any") };
      expect(await send(pagePath, page)).toBe(200);
      const stored = await app.database.sql`
        select size::int from formd.files where team_id = ${team.id} and state <> 'uploading'`;
      expect(stored.map(({ size }) => size)).toEqual([filesMaxBytes, filesMaxBytes, filesMaxBytes]);

      const statuses: (number | string)[] = [];
      let isRolling = true;
      const load = Array.from({ length: clients }, async (_, index) => {
        for (let turn = index; isRolling; turn++) {
          const pause = Bun.sleep((1000 * clients) / perSecond);
          statuses.push(await (turn % 5 === 0 ? submit() : list()).catch((error) => String(error)));
          await pause;
        }
      });
      // Before one stops the proxy must send to the other: HAProxy and Caddy ask it for /readyz first.
      const isUsed = (each: Server) => until(() => each.log().split("/papi/v1/").length > 20);
      const began = performance.now();
      for (const each of instances) await isUsed(each);
      for (let roll = 0; roll < rolls; roll++)
        for (const [index, port] of place.ports.entries()) {
          await instances[index]?.stop();
          // /readyz has succeeded, which is all that the page on restarts waits for.
          instances[index] = await instance(port);
        }
      isRolling = false;
      await Promise.all(load);
      const rate = Math.round((statuses.length * 1000) / (performance.now() - began));
      console.log(
        `${program}: ${statuses.length} requests, ${rate} per second, during ${rolls} rolling restarts`,
      );
      expect(statuses.length).toBeGreaterThan(100);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      for (const each of instances) await each.stop();
    },
  );
