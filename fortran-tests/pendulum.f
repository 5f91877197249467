C     The mathematical pendulum of the GEOMS report (Example 4.1,
C     Tables 3 and 4): two initial velocities, three tolerances each.
C
C     For each run the counters stand beside those of the report (in
C     brackets), then what has to hold: the identities between the
C     counters, the number of steps, and the error at T=5 against the
C     closed form.  p2(t) of the runs with TOL=1E-7 goes to the file
C     pendulum.dat for the picture.
C
C     X = [ lambda | v1 v2 | p1 p2 ]
C
      PROGRAM PENDUL
      IMPLICIT NONE
      INTEGER          NP,NV,NL,N,M,LIWORK,LRWORK
      PARAMETER        (NP=2,NV=2,NL=1,N=5,M=7,LIWORK=20,LRWORK=25)
      INTEGER          IOPT(40),IWORK(LIWORK),IPAR(1),IERR,IDID,I,K,L
      INTEGER          IREP(11,3,2),NFAIL,NPIV
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(LRWORK),
     #                 RPAR(3),V10,HREP(3,2),XEX(N,2),ERR,DEV
      LOGICAL          IDENT,STEPS,ACCUR
      CHARACTER*4      WORD
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,WORD
C
C     Tables 3 and 4 of the report, in the order of IWORK(1:11).
      DATA IREP /187,2167,1,187, 2,187,204, 660,204,16, 1,
     #           270,2961,1,270, 2,270,284, 897,284,13, 1,
     #           391,4141,1,391, 2,391,401,1250,401, 9, 1,
     #           207,2730,1,207,26,207,227, 841,227, 7,13,
     #           303,3729,1,303,19,303,321,1142,321,12, 6,
     #           441,5208,1,441,19,441,459,1589,459,12, 6/
      DATA HREP /0.254D-1,0.176D-1,0.118D-1,
     #           0.236D-1,0.121D-2,0.109D-1/
C     Closed form at T=5 (elliptic functions, 25 digits).
      DATA XEX / 6.530129232836035799D0,
     #           1.164034305982725075D0,-0.893604934116132015D0,
     #          -0.608937263148837968D0,-0.793218387046595675D0,
     #           6.212926445626725248D0,
     #           1.058814848683800578D0,-0.894136292952963342D0,
     #          -0.645191759411768827D0,-0.764020676151598800D0/
C
      OPEN(UNIT=20,FILE='pendulum.dat')
      NFAIL=0
      DO 30 L=1,2
        V10=2.7D0+0.1D0*L
        WRITE(6,100) V10
        DO 20 K=1,3
          TOL=10.D0**(-6-K)
          DO 10 I=1,40
            IOPT(I)=0
            ROPT(I)=0.D0
   10     CONTINUE
C         Constant, diagonal mass matrix.
          IOPT(15)=4
C         RPAR: gravity, initial velocity, next output time.
          RPAR(1)=13.75D0
          RPAR(2)=V10
          RPAR(3)=0.D0
C         IPAR: 1 asks SOLOUT to write.
          IPAR(1)=0
          IF (K.EQ.1) IPAR(1)=1
          X(1)=(V10**2+RPAR(1))/2.D0
          X(2)=V10
          X(3)=0.D0
          X(4)=0.D0
          X(5)=-1.D0
          T=0.D0
          TEND=5.D0
          H=0.01D0
          IERR=0
          IDID=0
          WRITE(6,110) IDID,H,TOL
          CALL GEOMS(
     #      NP,NV,0,0,0,NL,0,0,M,N,0,
     #      X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #      IVCOND,EOM,MAS,JAC,1,
     #      SOLOUT,1,
     #      LIWORK,IWORK,LRWORK,RWORK,
     #      RPAR,IPAR,IERR,
     #      IDID)
          WRITE(6,120) IDID,H,HREP(K,L),T
          IF (IDID.NE.0) THEN
            NFAIL=NFAIL+1
            GOTO 20
          END IF
          WRITE(6,130)
     #      IWORK(1),IREP(1,K,L),IWORK(2),IREP(2,K,L),
     #      IWORK(6),IREP(6,K,L),
     #      IWORK(10),IREP(10,K,L),IWORK(4),IREP(4,K,L),
     #      IWORK(7),IREP(7,K,L),
     #      IWORK(11),IREP(11,K,L),IWORK(3),IREP(3,K,L),
     #      IWORK(8),IREP(8,K,L),
     #      IWORK(9),IREP(9,K,L),IWORK(5),IREP(5,K,L)
C         Identities that all six runs of the report satisfy; the
C         pendulum passes 45 degrees 12 times with V10=2.9.
          NPIV=12*(L-1)
          IDENT=IWORK(2).EQ.3*IWORK(8)+IWORK(1)
     #      .AND.IWORK(7).EQ.IWORK(1)+IWORK(10)+IWORK(11)
     #      .AND.IWORK(9).EQ.IWORK(7)
     #      .AND.IWORK(4).EQ.IWORK(1).AND.IWORK(6).EQ.IWORK(1)
     #      .AND.IWORK(3).EQ.1
     #      .AND.IWORK(5).EQ.1+IWORK(11)+NPIV
C         Steps: within 8 percent of Table 3, not above Table 4.
          DEV=100.D0*(IWORK(1)-IREP(1,K,L))/IREP(1,K,L)
          STEPS=DEV.LE.0.D0
          IF (L.EQ.1) STEPS=ABS(DEV).LE.8.D0
C         Error relative to the size of each component.
          ERR=0.D0
          DO 15 I=1,N
            ERR=MAX(ERR,ABS(X(I)-XEX(I,L))/(1.D0+ABS(XEX(I,L))))
   15     CONTINUE
          ACCUR=ERR.LE.10.D0*TOL
          WRITE(6,140) WORD(IDENT),WORD(STEPS),DEV,WORD(ACCUR),ERR
          IF (.NOT.(IDENT.AND.STEPS.AND.ACCUR)) NFAIL=NFAIL+1
   20   CONTINUE
   30 CONTINUE
      CLOSE(20)
      WRITE(6,150) 6-NFAIL,NFAIL
      IF (NFAIL.GT.0) STOP 1
  100 FORMAT(/' Pendulum, GEOMS, initial velocity ',F4.2,
     #       '  (in brackets: the report)')
  110 FORMAT(/' starts   with IDID=',I6,' H=',E10.3,' TOL=',E10.3)
  120 FORMAT(' finished with IDID=',I6,' H=',E10.3,' (',E10.3,
     #       ') at T=',E10.3)
  130 FORMAT('  NACCPT =',I5,' (',I4,') | NEOM =',I5,' (',I4,
     #       ') | NPDEC =',I5,' (',I4,')'/
     #       '  NERJCT =',I5,' (',I4,') | NJAC =',I5,' (',I4,
     #       ') | NEDEC =',I5,' (',I4,')'/
     #       '  NCRJCT =',I5,' (',I4,') | NMAS =',I5,' (',I4,
     #       ') | NBSUB =',I5,' (',I4,')'/
     #       '  NSTEP  =',I5,' (',I4,') |                     ',
     #       '| NSEL  =',I5,' (',I4,')')
  140 FORMAT('  identities ',A4,' | steps ',A4,' (',F5.1,
     #       ' percent) | error at T=5 ',A4,' (',E8.1,')')
  150 FORMAT(/1X,I2,' runs as they should be, ',I2,' not')
      END
C
      CHARACTER*4 FUNCTION WORD(GOOD)
      LOGICAL GOOD
      WORD='FAIL'
      IF (GOOD) WORD='OK  '
      RETURN
      END
C
C     g = p1**2+p2**2-1 and its derivatives; lambda pulls along G.
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION G,PP
      G=RPAR(1)
      PP=X(4)**2+X(5)**2
C     gII | gI | g
      RDA(1)=2.D0*(X(2)**2+X(3)**2)-2.D0*G*X(5)-4.D0*PP*X(1)
      RDA(2)=2.D0*(X(4)*X(2)+X(5)*X(3))
      RDA(3)=PP-1.D0
C     f_dyn | f_kin
      RDA(4)=-2.D0*X(4)*X(1)
      RDA(5)=-G-2.D0*X(5)*X(1)
      RDA(6)=X(2)
      RDA(7)=X(3)
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      MA(1,1)=1.D0
      MA(2,1)=0.D0
      MA(1,2)=0.D0
      MA(2,2)=1.D0
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      INTEGER          I,J
C     gII with respect to lambda, v, p
      FX1(1,1)=4.D0*(X(4)**2+X(5)**2)
      FX1(1,2)=-4.D0*X(2)
      FX1(1,3)=-4.D0*X(3)
      FX1(1,4)=8.D0*X(4)*X(1)
      FX1(1,5)=8.D0*X(5)*X(1)+2.D0*RPAR(1)
C     gI with respect to v, p; g with respect to p
      DO 10 I=1,2
        FX2(1,I)=-2.D0*X(3+I)
        FX2(1,2+I)=-2.D0*X(1+I)
        FX3(1,I)=-2.D0*X(3+I)
   10 CONTINUE
C     f_dyn and f_kin
      DO 30 I=1,2
        DO 20 J=1,N
          FX5(I,J)=0.D0
          IF (J.LT.N) FX6(I,J)=0.D0
   20   CONTINUE
        FX5(I,1)=2.D0*X(3+I)
        FX5(I,3+I)=2.D0*X(1)
        FX6(I,I)=-1.D0
   30 CONTINUE
      RETURN
      END
C
C     The altitude p2 at the times 0, 0.01, 0.02, ...
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      DOUBLE PRECISION GEDENSOUT,P2
      EXTERNAL         GEDENSOUT
      IF (IPAR(1).NE.1) RETURN
   10 IF (RPAR(3).LE.T+1.D-9) THEN
        P2=GEDENSOUT(5,RPAR(3),N,NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)
        WRITE(20,100) RPAR(2),RPAR(3),P2
        RPAR(3)=RPAR(3)+0.01D0
        GOTO 10
      END IF
      RETURN
  100 FORMAT(F5.2,F7.3,F13.9)
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      RETURN
      END
