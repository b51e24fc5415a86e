# SPDX-License-Identifier: MIT
"""Certificates for a cluster of tests, made anew each time: an authority of its own with a good, an
expired and a client's certificate, and a second authority that nobody trusts, with a server's."""
import os
import subprocess

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
SERVER = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n"
CLIENT = "extendedKeyUsage=clientAuth\n"


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=180, check=False)
    if done.returncode != 0:
        raise RuntimeError("openssl %s: %s" % (" ".join(arguments), done.stdout))


class Certificates:
    """PEM files in a folder; the names are those of the members."""

    def __init__(self, folder):
        os.makedirs(folder)
        self.folder = folder
        self.ca = self.authority("ca")
        self.stranger_ca = self.authority("stranger-ca")
        self.server = self.certificate("server", "ca", SERVER)
        self.expired = self.certificate("expired", "ca", SERVER, is_expired=True)
        self.stranger = self.certificate("stranger", "stranger-ca", SERVER)
        self.client = self.certificate("client", "ca", CLIENT)
        self.client_key = self.path("client.key")
        self.stranger_client = self.certificate("stranger-client", "stranger-ca", CLIENT)
        self.stranger_client_key = self.path("stranger-client.key")

    def path(self, name):
        return os.path.join(self.folder, name)

    def authority(self, name):
        openssl("req", "-x509", *NEW_KEY, "-days", "2", "-subj", "/CN=" + name,
                "-keyout", self.path(name + ".key"), "-out", self.path(name + ".pem"))
        return self.path(name + ".pem")

    def certificate(self, name, authority, extensions, is_expired=False):
        request, extension_file = self.path(name + ".csr"), self.path(name + ".ext")
        with open(extension_file, "w", encoding="utf-8") as file:
            file.write(extensions)
        openssl("req", *NEW_KEY, "-subj", "/CN=" + name, "-keyout", self.path(name + ".key"),
                "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.path(authority + ".pem"),
                "-CAkey", self.path(authority + ".key"), "-CAcreateserial",
                "-days", "-1" if is_expired else "2", "-extfile", extension_file,
                "-out", self.path(name + ".pem"))
        return self.path(name + ".pem")

    def key_store(self, name):
        """Key and certificate in one file, as a broker reads them."""
        store = self.path(name + ".store.pem")
        with open(store, "w", encoding="utf-8") as out:
            for part in (name + ".key", name + ".pem"):
                with open(self.path(part), encoding="utf-8") as file:
                    out.write(file.read())
        return store
