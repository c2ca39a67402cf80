/** `formd config`: the settings in effect, their sources, no secrets. Needs no database. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { redacted, type SettingInEffect, type SettingName, settingsInEffect } from "../platform/config.ts";
import { usedDataDir } from "../platform/database/embedded/directories.ts";
import { secretKeyFile } from "../platform/database/embedded/secret-key.ts";
import { filesDirectory } from "../platform/files/files.ts";
import { erasuresFile } from "../resources/persons/erasures.ts";
import { report } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";
import type { Runtime } from "./server.ts";

export function configCommand(
  root: CliCommand,
  settings: Settings,
  { environment, defaults }: Pick<Runtime, "environment" | "defaults">,
): void {
  root
    .command("config")
    .description("the settings in effect and where each comes from, without secrets")
    .prints(async () => {
      const config = settings();
      for (const name of config.unknownNames) report(`${name} is not a setting, but looks like one`);
      const directory = await usedDataDir(resolve(config.FORMD_DATA_DIR), !config.dataDirIsDefault);
      const inDirectory = config.DATABASE_URL ? {} : besideDatabase(directory);
      const list = settingsInEffect(environment, defaults).map((setting) =>
        setting.source === "default" ? { ...setting, ...inDirectory[setting.name] } : setting,
      );
      const width = (member: "name" | "source") => Math.max(...list.map((each) => each[member].length));
      const [names, sources] = [width("name"), width("source")];
      return [
        { settings: list },
        ...list.map(
          ({ name, value, source }) => `${name.padEnd(names)}  ${source.padEnd(sources)}  ${value ?? "none"}`,
        ),
      ];
    });
}

/** Settings that the data directory of the embedded database has where the environment has none. */
function besideDatabase(directory: string): Partial<Record<SettingName, Partial<SettingInEffect>>> {
  const secretKey = join(directory, secretKeyFile);
  return {
    FORMD_DATA_DIR: { value: directory },
    FILES_URL: { value: pathToFileURL(filesDirectory(directory)).href },
    ERASURES_FILE: { value: erasuresFile({}, directory) ?? null },
    ...(existsSync(secretKey) && { FORMD_SECRET_KEY: { value: redacted, source: secretKey } }),
  };
}
