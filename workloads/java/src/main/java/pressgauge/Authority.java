package pressgauge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The one authority by which servers are known, instead of those that the Java machine trusts. */
final class Authority {
  private Authority() {}

  /**
   * For connections to servers with a certificate of this authority, and to no others.
   *
   * @param certificate the authority's own, in PEM
   */
  static SSLContext context(Path certificate) {
    try (var in = Files.newInputStream(certificate)) {
      var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      var own = CertificateFactory.getInstance("X.509").generateCertificate(in);
      trusted.setCertificateEntry("authority", own);
      var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      var context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new UsageException(
          "mongodb.authority.file: can't use " + certificate + ": " + Reason.of(e));
    }
  }
}
